import Testing

@testable import HTTP2Connections

/// Drives a state machine step by step; times in milliseconds.
private struct Script {
    var machine: ClientConnectionMachine

    init(_ change: (inout ClientConnectionMachine.Limits) -> Void = { _ in }) {
        var limits = ClientConnectionMachine.Limits(
            setupDeadline: Script.time(10_000),
            pingInterval: Script.time(30_000),
            pingTimeout: Script.time(10_000),
            idleTimeout: Script.time(600_000),
            ageLimit: Script.time(3_600_000),
            replacementTimeout: Script.time(300_000),
            closeTimeout: Script.time(1000),
            maximumStreams: 1500,
            oneStreamUntilAccepted: false,
            lastStreamID: .max
        )
        change(&limits)
        machine = ClientConnectionMachine(limits: limits, now: 0)
    }

    static func time(_ milliseconds: UInt64) -> UInt64 { milliseconds * 1_000_000 }

    @discardableResult
    mutating func on(
        _ event: ClientConnectionMachine.Event,
        at milliseconds: UInt64 = 0
    ) -> [ClientConnectionMachine.Action] {
        var actions: [ClientConnectionMachine.Action] = []
        machine.handle(event, now: Self.time(milliseconds), into: &actions)
        return actions
    }

    /// A script whose connection is ready.
    static func ready(
        _ limit: UInt32 = 100,
        _ change: (inout ClientConnectionMachine.Limits) -> Void = { _ in }
    ) -> Script {
        var script = Script(change)
        script.on(.secured)
        let actions = script.on(.settings(maxConcurrentStreams: limit))
        #expect(actions == [.ready])
        return script
    }

    /// Opens streams from `first` on, sent or not.
    mutating func open(
        _ count: Int,
        from first: Int32 = 1,
        isSent: Bool = true,
        timeout: UInt64 = 15_000,
        at milliseconds: UInt64 = 0
    ) -> [Int] {
        var records: [Int] = []
        for index in 0..<count {
            let record = machine.admit(bodyBytes: 400, timeout: Self.time(timeout), now: Self.time(milliseconds))
            machine.submitted(record: record, stream: first + 2 * Int32(index))
            records.append(record)
        }
        if isSent { on(.sent(upTo: first + 2 * Int32(count - 1))) }
        return records
    }

    func capacity(window: Int = 1 << 30, isWritable: Bool = true) -> Int {
        machine.capacity(window: window, isWritable: isWritable)
    }
}

@Suite("Client connection state machine")
struct ClientConnectionMachineTests {
    @Test("no stream opens before the peer's first SETTINGS")
    func noStreamBeforeSettings() {
        var script = Script()
        #expect(script.capacity() == 0)
        script.on(.secured)
        #expect(script.capacity() == 0)
        #expect(script.on(.settings(maxConcurrentStreams: 100)) == [.ready])
        #expect(script.capacity() == 90)
    }

    @Test(
        "nine tenths of the peer's limit are used, at least one, and none of a limit of zero",
        arguments: [(0, 0), (1, 1), (2, 1), (10, 9), (100, 90), (1000, 900), (UInt32.max, 1500)] as [(UInt32, Int)]
    )
    func streamLimit(peer: UInt32, expected: Int) {
        #expect(Script.ready(peer).capacity() == expected)
    }

    @Test("a lowered limit stops new streams until enough have closed, a raised one allows more")
    func settingsChange() {
        var script = Script.ready(100)
        let records = script.open(50)
        #expect(script.capacity() == 40)
        script.on(.settings(maxConcurrentStreams: 10))
        #expect(script.capacity() == 0)
        for record in records.prefix(45) { script.on(.closed(record: record, errorCode: 0, status: 200)) }
        #expect(script.capacity() == 4)
        script.on(.settings(maxConcurrentStreams: 0))
        #expect(script.capacity() == 0)
        script.on(.settings(maxConcurrentStreams: 1000))
        #expect(script.capacity() == 895)
    }

    @Test("with one stream until accepted only a response other than 403 raises the limit", arguments: [200, 400, 410])
    func oneStreamUntilAccepted(status: Int) {
        var script = Script.ready(1000) { $0.oneStreamUntilAccepted = true }
        #expect(script.capacity() == 1)
        var record = script.open(1)[0]
        #expect(script.capacity() == 0)
        script.on(.closed(record: record, errorCode: 0, status: 403))
        #expect(script.capacity() == 1)
        record = script.open(1, from: 3)[0]
        script.on(.closed(record: record, errorCode: 7, status: nil))
        #expect(script.capacity() == 1)
        record = script.open(1, from: 5)[0]
        script.on(.closed(record: record, errorCode: 0, status: status))
        #expect(script.capacity() == 900)
    }

    @Test("nothing is pulled without send window or into a full socket")
    func backPressure() {
        let script = Script.ready(1000)
        #expect(script.capacity(window: 0) == 0)
        #expect(script.capacity(window: -5) == 0)
        #expect(script.capacity(isWritable: false) == 0)
        #expect(script.capacity(window: 10) == 1)
        // Bodies are estimated as 1 KiB before the first one; the last one fits in part.
        #expect(script.capacity(window: 65_535) == 64)
    }

    @Test("GOAWAY drains at once and separates streams above its last id from those below")
    func goAway() {
        var script = Script.ready()
        let records = script.open(4)
        let actions = script.on(.goAway(lastStreamID: 3, errorCode: .noError, reason: "Shutdown"))
        #expect(
            actions == [
                .complete(record: records[2], .unprocessed(.goAway(.noError))),
                .complete(record: records[3], .unprocessed(.goAway(.noError))),
                .draining(.goAway(.noError, reason: "Shutdown")),
            ]
        )
        #expect(script.capacity() == 0)
        // nghttp2 also closes those above: they complete once.
        #expect(script.on(.closed(record: records[3], errorCode: 7, status: nil)) == [])
        #expect(
            script.on(.closed(record: records[0], errorCode: 0, status: 200)) == [.complete(record: records[0], nil)]
        )
        #expect(
            script.on(.closed(record: records[1], errorCode: 0, status: 200)) == [
                .complete(record: records[1], nil), .sendGoAway,
            ]
        )
        #expect(script.on(.lost(.closedByPeer)) == [.close(nil)])
    }

    @Test("a graceful GOAWAY is followed by the one with the real last id")
    func goAwayTwice() {
        var script = Script.ready()
        let records = script.open(2)
        #expect(
            script.on(.goAway(lastStreamID: .max, errorCode: .noError, reason: nil)) == [
                .draining(.goAway(.noError, reason: nil))
            ]
        )
        #expect(
            script.on(.goAway(lastStreamID: 1, errorCode: .noError, reason: nil)) == [
                .complete(record: records[1], .unprocessed(.goAway(.noError)))
            ]
        )
        // The connection breaks before the last response: that request may have been processed.
        #expect(
            script.on(.lost(.closedByPeer)) == [
                .complete(record: records[0], .unknown(.connectionLost)), .close(.goAway(.noError, reason: nil)),
            ]
        )
    }

    @Test("GOAWAY without open streams ends the connection gracefully")
    func goAwayIdle() {
        var script = Script.ready()
        #expect(
            script.on(.goAway(lastStreamID: 0, errorCode: .noError, reason: nil)) == [
                .draining(.goAway(.noError, reason: nil)), .sendGoAway,
            ]
        )
    }

    @Test("a closed stream completes according to its error code")
    func resets() {
        var script = Script.ready()
        let records = script.open(4)
        #expect(
            script.on(.closed(record: records[0], errorCode: 7, status: nil)) == [
                .complete(record: records[0], .unprocessed(.reset(.refusedStream)))
            ]
        )
        #expect(
            script.on(.closed(record: records[1], errorCode: 2, status: nil)) == [
                .complete(record: records[1], .unknown(.reset(.internalError)))
            ]
        )
        #expect(
            script.on(.closed(record: records[2], errorCode: 0, status: nil)) == [
                .complete(record: records[2], .unknown(.malformed))
            ]
        )
        // A complete response counts although the peer reset the rest of the request (RFC 9113 section 8.1).
        #expect(
            script.on(.closed(record: records[3], errorCode: 8, status: 413)) == [.complete(record: records[3], nil)]
        )
    }

    @Test("an early response ends the stream without waiting for the body to be sent")
    func endedEarly() {
        var script = Script.ready()
        let record = script.open(1)[0]
        #expect(
            script.on(.endedEarly(record: record, status: 413)) == [
                .reset(stream: 1, .noError), .complete(record: record, nil),
            ]
        )
    }

    @Test("a deadline is unknown once the request was sent, unprocessed before")
    func deadlines() {
        var script = Script.ready()
        let sent = script.open(1, timeout: 5000)[0]
        let unsent = script.open(1, from: 3, isSent: false, timeout: 6000)[0]
        #expect(script.machine.nextDue == Script.time(5000))
        #expect(script.on(.tick, at: 4999) == [])
        #expect(
            script.on(.tick, at: 5000) == [
                .reset(stream: 1, .cancel), .complete(record: sent, .unknown(.deadline)), .draining(.unresponsive),
            ]
        )
        #expect(script.machine.nextDue == Script.time(6000))
        #expect(
            script.on(.tick, at: 6000) == [
                .reset(stream: 3, .cancel), .complete(record: unsent, .unprocessed(.deadline)), .sendGoAway,
            ]
        )
        // Later events of nghttp2 for them are ignored.
        #expect(script.on(.closed(record: sent, errorCode: 8, status: nil), at: 6001) == [])
    }

    @Test("a timeout while other requests get responses keeps the connection")
    func deadlineOfOne() {
        var script = Script.ready()
        let slow = script.open(1, timeout: 5000)[0]
        let quick = script.open(1, from: 3, timeout: 9000)[0]
        #expect(
            script.on(.closed(record: quick, errorCode: 0, status: 200), at: 4000) == [.complete(record: quick, nil)]
        )
        #expect(
            script.on(.tick, at: 5000) == [.reset(stream: 1, .cancel), .complete(record: slow, .unknown(.deadline))]
        )
        #expect(script.capacity() > 0)
    }

    @Test(
        "a connection that is to be replaced soon after it was opened counts as a failed dial",
        arguments: [4999, 5000] as [UInt64]
    )
    func blamed(at milliseconds: UInt64) {
        var script = Script.ready()
        let record = script.open(1)[0]
        script.on(.closed(record: record, errorCode: 0, status: 410), at: 10)
        #expect(script.on(.retire(.blamed), at: milliseconds) == [.draining(.blamed), .sendGoAway])
        #expect(script.machine.worth == (milliseconds >= 5000 ? .served : .refused))
        #expect(script.capacity() == 0)
    }

    @Test(
        "a connection with only 400 responses counts as a failed dial",
        arguments: [([], false), ([400, 400], false), ([400, 410], true), ([200, 400], true), ([503], true)]
    )
    func served(statuses: [Int], isServed: Bool) {
        var script = Script.ready()
        for (index, status) in statuses.enumerated() {
            let record = script.open(1, from: 1 + 2 * Int32(index))[0]
            script.on(.closed(record: record, errorCode: 0, status: status))
        }
        #expect(script.machine.worth == (isServed ? .served : .refused))
    }

    @Test(
        "a request without a response means that the peer is silent, unless another got a response",
        arguments: [(nil, .silent), (400, .refused), (200, .served)] as [(Int?, ConnectionWorth)]
    )
    func silent(status: Int?, worth: ConnectionWorth) {
        var script = Script.ready()
        if let status {
            let answered = script.open(1)[0]
            script.on(.closed(record: answered, errorCode: 0, status: status))
        }
        _ = script.open(1, from: 3, timeout: 5000)
        script.on(.tick, at: 5000)
        #expect(script.machine.worth == worth)
    }

    @Test("a peer that lowers its limit step by step to zero and raises it again is reported each time, and obeyed")
    func limitCut() {
        var script = Script.ready(100)
        let records = script.open(90)
        for (limit, isCut) in [(50, true), (10, true), (10, nil), (1, true), (0, true)] as [(UInt32, Bool?)] {
            #expect(script.on(.settings(maxConcurrentStreams: limit)) == (isCut.map { [.limitCut($0)] } ?? []))
            #expect(script.capacity() == 0)
        }
        for record in records { script.on(.closed(record: record, errorCode: 0, status: 400)) }
        #expect(script.capacity() == 0)
        // Another connection would wait for the same.
        #expect(script.machine.heldBack(window: 1 << 20) == nil)
        for (limit, room, isCut) in [(1, 1, nil), (50, 45, nil), (49, 44, true), (100, 90, false), (200, 180, nil)]
            as [(UInt32, Int, Bool?)]
        {
            #expect(script.on(.settings(maxConcurrentStreams: limit)) == (isCut.map { [.limitCut($0)] } ?? []))
            #expect(script.capacity() == room)
        }
    }

    @Test("a lost connection fails sent requests as unknown and unsent ones as unprocessed")
    func lost() {
        var script = Script.ready()
        let sent = script.open(2)
        let unsent = script.open(1, from: 5, isSent: false)
        #expect(
            script.on(.lost(.closedByPeer)) == [
                .complete(record: sent[0], .unknown(.connectionLost)),
                .complete(record: sent[1], .unknown(.connectionLost)),
                .complete(record: unsent[0], .unprocessed(.connectionLost)),
                .close(.closedByPeer),
            ]
        )
        #expect(script.on(.lost(.closedByPeer)) == [])
        #expect(script.machine.nextDue == .max)
    }

    @Test("a request that nghttp2 dropped is unprocessed")
    func notSent() {
        var script = Script.ready()
        let record = script.open(1, isSent: false)[0]
        #expect(script.on(.notSent(record: record)) == [.complete(record: record, .unprocessed(.malformed))])
        #expect(script.on(.closed(record: record, errorCode: 7, status: nil)) == [])
    }

    @Test("dial, TLS and SETTINGS have one deadline")
    func setupDeadline() {
        var script = Script()
        script.on(.secured, at: 9000)
        #expect(script.machine.nextDue == Script.time(10_000))
        #expect(script.on(.tick, at: 9999) == [])
        #expect(script.on(.tick, at: 10_000) == [.close(.setupTimedOut)])
        #expect(script.machine.worth == .silent)
    }

    @Test("a PING is sent when nothing was read, and any bytes count as its response")
    func ping() {
        var script = Script.ready()
        let record = script.open(1, timeout: 500_000)[0]
        #expect(script.on(.tick, at: 29_999) == [])
        #expect(script.on(.tick, at: 30_000) == [.ping])
        #expect(script.on(.tick, at: 39_999) == [])
        script.on(.read, at: 39_999)
        #expect(script.on(.tick, at: 40_000) == [])
        #expect(script.machine.nextDue == Script.time(69_999))
        #expect(script.on(.tick, at: 69_999) == [.ping])
        #expect(
            script.on(.tick, at: 79_999) == [
                .complete(record: record, .unknown(.connectionLost)), .close(.pingUnanswered),
            ]
        )
        #expect(script.machine.worth == .silent)
    }

    @Test("an idle connection is closed, a busy one is not")
    func idle() {
        var script = Script.ready { $0.idleTimeout = Script.time(5000) }
        let record = script.open(1)[0]
        #expect(script.on(.tick, at: 6000) == [])
        script.on(.closed(record: record, errorCode: 0, status: 200), at: 7000)
        #expect(script.on(.tick, at: 11_999) == [])
        #expect(script.on(.tick, at: 12_000) == [.draining(.idle), .sendGoAway])
        #expect(script.on(.tick, at: 12_999) == [])
        #expect(script.on(.tick, at: 13_000) == [.close(nil)])
    }

    @Test("an aged connection is reported and stays in use, until the pool retires it or the timeout drains it")
    func age() {
        var script = Script.ready { $0.ageLimit = Script.time(8000) }
        #expect(script.on(.tick, at: 8000) == [.aged])
        #expect(script.capacity() > 0)
        #expect(script.on(.retire(.age), at: 8001) == [.draining(.age), .sendGoAway])
        script = Script.ready {
            $0.ageLimit = Script.time(8000)
            $0.replacementTimeout = Script.time(2000)
        }
        let record = script.open(1)[0]
        #expect(script.on(.tick, at: 8000) == [.aged])
        #expect(script.machine.nextDue == Script.time(10_000))
        #expect(script.on(.tick, at: 9999) == [])
        #expect(script.on(.tick, at: 10_000) == [.draining(.age)])
        #expect(script.capacity() == 0)
        #expect(
            script.on(.closed(record: record, errorCode: 0, status: 200), at: 10_001) == [
                .complete(record: record, nil), .sendGoAway,
            ]
        )
    }

    @Test("running out of stream ids drains")
    func streamIDs() {
        var script = Script.ready { $0.lastStreamID = 5 }
        #expect(script.capacity() == 3)
        let records = script.open(3)
        #expect(script.capacity() == 0)
        #expect(script.on(.read) == [])
        #expect(
            script.on(.closed(record: records[0], errorCode: 0, status: 200)) == [.complete(record: records[0], nil)]
        )
        var fresh = Script.ready { $0.lastStreamID = 1 }
        let record = fresh.machine.admit(bodyBytes: 1, timeout: 1, now: 0)
        fresh.machine.submitted(record: record, stream: 1)
        #expect(fresh.on(.sent(upTo: 1)) == [.draining(.streamIDsExhausted)])
    }

    @Test("shutdown lets streams finish until its deadline")
    func shutdown() {
        var script = Script.ready()
        let records = script.open(2)
        #expect(script.on(.shutdown(deadline: Script.time(3000))) == [.draining(.shutdown)])
        script.on(.closed(record: records[0], errorCode: 0, status: 200), at: 10)
        #expect(script.machine.nextDue == Script.time(3000))
        #expect(
            script.on(.tick, at: 3000) == [
                .reset(stream: 3, .cancel), .complete(record: records[1], .unknown(.shutdown)), .sendGoAway,
            ]
        )
        #expect(script.on(.lost(.closedByPeer), at: 3001) == [.close(nil)])
    }

    @Test("records are reused and never used twice at once")
    func records() {
        var script = Script.ready()
        let first = script.open(3)
        #expect(Set(first).count == 3)
        script.on(.closed(record: first[1], errorCode: 0, status: 200))
        let second = script.open(2, from: 7)
        #expect(second[0] == first[1])
        #expect(!first.contains(second[1]))
        #expect(script.machine.openStreams == 4)
    }
}
