import Testing

@testable import HTTP2Connections

private struct Script {
    var machine: ConnectionPoolMachine

    init(connections: Int = 1) {
        machine = ConnectionPoolMachine(
            backoff: DialBackoff(base: 1000, cap: 8000, silentCap: 3000),
            limits: ConnectionPoolMachine.Limits(
                connections: connections,
                growthDelay: 50,
                shrinkDelay: 100_000,
                growthPause: 10_000
            ),
            seed: 1
        )
    }

    /// Returns a pool with that many connections, all of them blocked.
    static func heldBack(_ count: UInt64, connections: Int) -> Script {
        var script = Script(connections: connections)
        _ = script.on(.wanted)
        _ = script.on(.ready(id: 1))
        _ = script.on(.heldBack(id: 1, true))
        while script.machine.ready.count < count {
            for case .dialFurther(let id) in script.on(.tick(isLoopBusy: false), at: script.machine.growthDue ?? 0) {
                _ = script.on(.ready(id: id))
                _ = script.on(.heldBack(id: id, true))
            }
        }
        return script
    }

    mutating func on(_ event: ConnectionPoolMachine.Event, at now: UInt64 = 0) -> [ConnectionPoolMachine.Action] {
        var actions: [ConnectionPoolMachine.Action] = []
        machine.handle(event, now: now, into: &actions)
        return actions
    }
}

@Suite("Connection pool state machine")
struct ConnectionPoolMachineTests {
    @Test("it dials on demand, once, and wakes what is ready")
    func dialsOnDemand() {
        var script = Script()
        #expect(script.on(.tick(isLoopBusy: false)) == [])
        #expect(script.on(.wanted) == [.dial(id: 1)])
        #expect(script.on(.wanted) == [])
        #expect(script.on(.ready(id: 1)) == [.wake(id: 1)])
        #expect(script.on(.wanted) == [.wake(id: 1)])
    }

    @Test("a draining connection is replaced at once when there is work, else later")
    func replacesDraining() {
        var script = Script()
        _ = script.on(.wanted)
        _ = script.on(.ready(id: 1))
        #expect(script.on(.draining(id: 1, worth: .served)) == [.dial(id: 2)])
        #expect(script.on(.ready(id: 2)) == [.wake(id: 2)])
        _ = script.on(.satisfied)
        #expect(script.on(.draining(id: 2, worth: .served)) == [])
        #expect(script.on(.ended(id: 1, worth: .served)) == [])
        #expect(script.on(.wanted) == [.dial(id: 3)])
    }

    @Test("fruitless connections cause a growing wait, productive ones none")
    func backsOff() {
        var script = Script()
        _ = script.on(.wanted)
        #expect(script.on(.ended(id: 1, worth: .refused), at: 10) == [])
        let due = script.machine.nextDue
        #expect((510...1010).contains(due))
        #expect(script.on(.tick(isLoopBusy: false), at: due - 1) == [])
        #expect(script.on(.wanted, at: due - 1) == [])
        #expect(script.on(.tick(isLoopBusy: false), at: due) == [.dial(id: 2)])
        #expect(script.on(.ended(id: 2, worth: .refused), at: 5000) == [])
        #expect((6000...7000).contains(script.machine.nextDue))
        #expect(script.on(.tick(isLoopBusy: false), at: 7000) == [.dial(id: 3)])
        _ = script.on(.ready(id: 3), at: 7000)
        #expect(script.on(.ended(id: 3, worth: .served), at: 8000) == [.dial(id: 4)])
    }

    @Test("an unreachable peer is dialled more often than one that rejects us", arguments: [true, false])
    func looksForSilent(isSilent: Bool) {
        var script = Script()
        _ = script.on(.wanted)
        var now: UInt64 = 0
        for id in 1...20 as ClosedRange<UInt64> {
            let worth = isSilent ? ConnectionWorth.silent : .refused
            #expect(script.on(.ended(id: id, worth: worth), at: now) == [])
            let wait = script.machine.nextDue - now
            if id >= 4 { #expect((isSilent ? 1500...3000 : 4000...8000).contains(wait)) }
            now = script.machine.nextDue
            #expect(script.on(.tick(isLoopBusy: false), at: now) == [.dial(id: id + 1)])
        }
    }

    @Test("a peer that sends GOAWAY before any response is not dialled without a wait")
    func goAwayLoop() {
        var script = Script()
        _ = script.on(.wanted)
        _ = script.on(.ready(id: 1))
        #expect(script.on(.draining(id: 1, worth: .refused)) == [])
        #expect(script.machine.nextDue >= 500)
        #expect(script.machine.nextDue != .max)
    }

    @Test("nothing is dialled or waited for without work")
    func idle() {
        var script = Script()
        _ = script.on(.wanted)
        _ = script.on(.ready(id: 1))
        _ = script.on(.satisfied)
        #expect(script.on(.ended(id: 1, worth: .served)) == [])
        #expect(script.machine.nextDue == .max)
    }

    @Test("it doubles while all connections are blocked, up to its limit")
    func grows() {
        var script = Script(connections: 5)
        _ = script.on(.wanted)
        _ = script.on(.ready(id: 1))
        #expect(script.machine.growthDue == nil)
        _ = script.on(.heldBack(id: 1, true), at: 10)
        #expect(script.machine.growthDue == 60)
        #expect(script.on(.tick(isLoopBusy: false), at: 59) == [])
        #expect(script.on(.tick(isLoopBusy: false), at: 60) == [.dialFurther(id: 2)])
        // Not before the effect of the new one is known.
        #expect(script.machine.growthDue == nil)
        _ = script.on(.ready(id: 2), at: 100)
        #expect(script.machine.growthDue == nil)
        _ = script.on(.heldBack(id: 2, true), at: 110)
        #expect(script.on(.tick(isLoopBusy: false), at: 160) == [.dialFurther(id: 3), .dialFurther(id: 4)])
        _ = script.on(.ready(id: 3), at: 200)
        _ = script.on(.heldBack(id: 3, true), at: 200)
        #expect(script.machine.growthDue == nil)
        _ = script.on(.ready(id: 4), at: 200)
        _ = script.on(.heldBack(id: 4, true), at: 200)
        #expect(script.on(.tick(isLoopBusy: false), at: 250) == [.dialFurther(id: 5)])
        _ = script.on(.ready(id: 5), at: 300)
        _ = script.on(.heldBack(id: 5, true), at: 300)
        #expect(script.machine.growthDue == nil)
    }

    @Test("a window that opens a little with each response does not prevent growth")
    func trickle() {
        var script = Script(connections: 2)
        _ = script.on(.wanted)
        _ = script.on(.ready(id: 1))
        for now in stride(from: UInt64(0), to: 50, by: 10) {
            _ = script.on(.heldBack(id: 1, true), at: now)
            _ = script.on(.heldBack(id: 1, false), at: now + 9)
        }
        _ = script.on(.heldBack(id: 1, true), at: 49)
        #expect(script.on(.tick(isLoopBusy: false), at: 50) == [.dialFurther(id: 2)])
    }

    @Test("with a busy loop, free capacity or nothing to send it does not grow")
    func staysSmall() {
        var script = Script.heldBack(1, connections: 9)
        #expect(script.on(.tick(isLoopBusy: true), at: 1000) == [])
        #expect(script.machine.growthDue == 1050)
        _ = script.on(.heldBack(id: 1, false), at: 1040)
        #expect(script.on(.tick(isLoopBusy: false), at: 1050) == [])
        _ = script.on(.heldBack(id: 1, true), at: 1060)
        _ = script.on(.satisfied, at: 1070)
        #expect(script.on(.tick(isLoopBusy: false), at: 2000) == [])
        #expect(script.machine.growthDue == nil)
    }

    @Test("after a fruitless connection it waits before it grows, and the others stay in use")
    func growthBacksOff() {
        var script = Script.heldBack(1, connections: 9)
        #expect(script.on(.tick(isLoopBusy: false), at: 100) == [.dialFurther(id: 2)])
        _ = script.on(.ended(id: 2, worth: .refused), at: 200)
        #expect((700...1200).contains(script.machine.growthDue ?? 0))
        #expect(script.on(.wanted, at: 210) == [.wake(id: 1)])
    }

    @Test("it does not grow while a peer lowers its limit, until it raises it again or keeps it low for long")
    func limitCut() {
        for isGivenBack in [true, false] {
            var script = Script.heldBack(1, connections: 9)
            _ = script.on(.limitCut(id: 1, true), at: 1000)
            _ = script.on(.limitCut(id: 1, true), at: 2000)
            #expect(script.machine.growthDue == 12_000)
            if isGivenBack {
                _ = script.on(.limitCut(id: 1, false), at: 3000)
                #expect(script.machine.growthDue == 3050)
                #expect(script.on(.tick(isLoopBusy: false), at: 3050) == [.dialFurther(id: 2)])
            } else {
                #expect(script.on(.tick(isLoopBusy: false), at: 11_999) == [])
                #expect(script.on(.tick(isLoopBusy: false), at: 12_000) == [.dialFurther(id: 2)])
            }
        }
    }

    @Test("one with a lowered limit keeps the pool from growing, until it is closed")
    func limitCutOfOne() {
        var script = Script.heldBack(2, connections: 9)
        _ = script.on(.limitCut(id: 1, true), at: 1000)
        #expect(script.machine.growthDue == 11_000)
        _ = script.on(.draining(id: 1, worth: .served), at: 2000)
        #expect(script.machine.growthDue == 2050)
    }

    @Test("an aged connection stays in use until its replacement is ready, however long that takes")
    func replacesAged() {
        var script = Script()
        _ = script.on(.wanted)
        _ = script.on(.ready(id: 1))
        _ = script.on(.satisfied)
        #expect(script.on(.aged(id: 1), at: 100) == [.dial(id: 2)])
        #expect(script.on(.wanted, at: 110) == [.wake(id: 1)])
        #expect(script.on(.ended(id: 2, worth: .refused), at: 200) == [])
        #expect((700...1200).contains(script.machine.nextDue))
        #expect(script.on(.wanted, at: 210) == [.wake(id: 1)])
        #expect(script.on(.tick(isLoopBusy: false), at: 1200) == [.dial(id: 3)])
        #expect(script.on(.ready(id: 3), at: 1300) == [.wake(id: 3), .retire(id: 1, .age)])
        #expect(script.on(.draining(id: 1, worth: .served), at: 1300) == [])
        #expect(script.machine.ready == [3])
        #expect(script.on(.ended(id: 1, worth: .served), at: 1400) == [])
    }

    @Test("an aged connection that ends meanwhile is replaced by the one that is being dialled")
    func agedEnds() {
        var script = Script()
        _ = script.on(.wanted)
        _ = script.on(.ready(id: 1))
        #expect(script.on(.aged(id: 1)) == [.dial(id: 2)])
        #expect(script.on(.draining(id: 1, worth: .served)) == [])
        #expect(script.on(.ready(id: 2)) == [.wake(id: 2)])
    }

    @Test("an aged one needs no replacement when another has room; several are replaced one by one, above the limit")
    func agedBesideOthers() {
        var script = Script.heldBack(2, connections: 2)
        _ = script.on(.heldBack(id: 2, false))
        #expect(script.on(.aged(id: 1)) == [.retire(id: 1, .age)])
        script = Script.heldBack(2, connections: 2)
        #expect(script.on(.aged(id: 2)) == [.dial(id: 3)])
        #expect(script.on(.aged(id: 1)) == [.dial(id: 4)])
        #expect(script.on(.ready(id: 3)) == [.wake(id: 3), .retire(id: 1, .age)])
        _ = script.on(.draining(id: 1, worth: .served))
        _ = script.on(.heldBack(id: 3, true))
        #expect(script.on(.tick(isLoopBusy: false), at: 1000) == [])
        #expect(script.on(.ready(id: 4)) == [.wake(id: 4), .retire(id: 2, .age)])
        _ = script.on(.draining(id: 2, worth: .served))
        #expect(script.machine.ready == [3, 4])
    }

    @Test("a draining connection is not replaced while others have room")
    func losesOne() {
        var script = Script.heldBack(2, connections: 9)
        _ = script.on(.heldBack(id: 1, false), at: 500)
        #expect(script.on(.draining(id: 2, worth: .served), at: 500) == [])
        #expect(script.on(.draining(id: 1, worth: .served), at: 500) == [.dial(id: 3)])
    }

    @Test("when not all were blocked for long it closes the youngest, one at a time, and keeps the last")
    func shrinks() {
        var script = Script.heldBack(4, connections: 4)
        for id in 1...4 as ClosedRange<UInt64> { _ = script.on(.heldBack(id: id, false), at: 1000) }
        let due = script.machine.nextDue
        #expect(script.on(.tick(isLoopBusy: false), at: due - 1) == [])
        #expect(script.on(.tick(isLoopBusy: false), at: due) == [.retire(id: 4, .spare)])
        #expect(script.on(.draining(id: 4, worth: .served), at: due) == [])
        #expect(script.on(.ended(id: 4, worth: .served), at: due) == [])
        #expect(script.machine.nextDue == due + 100_000)
        #expect(script.on(.tick(isLoopBusy: false), at: due + 100_000) == [.retire(id: 3, .spare)])
        #expect(script.on(.tick(isLoopBusy: false), at: due + 200_000) == [.retire(id: 2, .spare)])
        #expect(script.machine.ready == [1])
        #expect(script.machine.nextDue == .max)
    }

    @Test("a connection without a budget slot is tried again soon if it is needed, later if it is a further one")
    func denied() {
        var script = Script()
        _ = script.on(.wanted)
        #expect(script.on(.denied(id: 1), at: 10) == [])
        let due = script.machine.nextDue
        #expect((510...1010).contains(due))
        #expect(script.on(.wanted, at: due - 1) == [])
        #expect(script.on(.tick(isLoopBusy: false), at: due) == [.dial(id: 2)])
        #expect(script.on(.denied(id: 2), at: due) == [])
        // It is not a failed dial: the wait does not grow.
        #expect((due + 500...due + 1000).contains(script.machine.nextDue))
        script = Script.heldBack(1, connections: 9)
        #expect(script.on(.tick(isLoopBusy: false), at: 100) == [.dialFurther(id: 2)])
        #expect(script.on(.denied(id: 2), at: 100) == [])
        #expect(script.machine.growthDue == 10_100)
        // The wait applies to further connections: if none is left, one is dialled at once.
        #expect(script.on(.ended(id: 1, worth: .served), at: 200) == [.dial(id: 3)])
    }

    @Test("an aged connection stays in use while the budget has no slot for another")
    func deniedReplacement() {
        var script = Script()
        _ = script.on(.wanted)
        _ = script.on(.ready(id: 1))
        #expect(script.on(.aged(id: 1), at: 10) == [.dial(id: 2)])
        #expect(script.on(.denied(id: 2), at: 10) == [])
        #expect(script.on(.wanted, at: 20) == [.wake(id: 1)])
        #expect((510...1010).contains(script.machine.nextDue))
    }

    @Test("asked for one of several it closes the youngest, and never its last")
    func askedBack() {
        var script = Script.heldBack(2, connections: 9)
        #expect(script.on(.askedBack, at: 100) == [.retire(id: 2, .spare)])
        #expect(script.on(.askedBack, at: 100) == [])
        #expect(script.machine.growthDue ?? 0 >= 10_100)
    }

    @Test("shutdown ends every connection, then the pool, and nothing is dialled any more")
    func shutdown() {
        var script = Script()
        _ = script.on(.wanted)
        _ = script.on(.ready(id: 1))
        _ = script.on(.draining(id: 1, worth: .served))
        #expect(
            script.on(.shutdown(deadline: 9)) == [.shutDown(id: 1, deadline: 9), .shutDown(id: 2, deadline: 9)]
        )
        #expect(script.on(.ended(id: 2, worth: .refused)) == [])
        #expect(script.on(.wanted) == [])
        #expect(script.on(.ended(id: 1, worth: .served)) == [.finished])
        #expect(script.on(.shutdown(deadline: 9)) == [])
    }

    @Test("shutdown of a pool that never dialled finishes at once")
    func shutdownUnused() {
        var script = Script()
        #expect(script.on(.shutdown(deadline: 9)) == [.finished])
    }

    @Test(
        "the wait doubles up to its cap, and jitter reduces it by up to half",
        arguments: [(0, 0, 0), (1, 500, 1000), (2, 1000, 2000), (4, 4000, 8000), (5, 4000, 8000), (90, 4000, 8000)]
            as [(Int, UInt64, UInt64)]
    )
    func backoff(failures: Int, least: UInt64, most: UInt64) {
        let backoff = DialBackoff(base: 1000, cap: 8000, silentCap: 3000)
        for random in [0, 1, 12_345, UInt64.max] {
            #expect((least...most).contains(backoff.wait(failures: failures, isSilent: false, random: random)))
        }
    }
}
