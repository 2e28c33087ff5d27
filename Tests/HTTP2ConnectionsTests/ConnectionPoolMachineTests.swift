import Testing

@testable import HTTP2Connections

private struct Script {
    var machine = ConnectionPoolMachine(backoff: DialBackoff(base: 1000, cap: 8000), seed: 1)

    mutating func on(_ event: ConnectionPoolMachine.Event, at now: UInt64 = 0) -> [ConnectionPoolMachine.Action] {
        var actions: [ConnectionPoolMachine.Action] = []
        machine.handle(event, now: now, into: &actions)
        return actions
    }
}

@Suite("Connection pool machine")
struct ConnectionPoolMachineTests {
    @Test("it dials on demand, once, and wakes what is ready")
    func dialsOnDemand() {
        var script = Script()
        #expect(script.on(.tick) == [])
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
        #expect(script.on(.draining(id: 1, isProductive: true)) == [.dial(id: 2)])
        #expect(script.on(.ready(id: 2)) == [.wake(id: 2)])
        _ = script.on(.satisfied)
        #expect(script.on(.draining(id: 2, isProductive: true)) == [])
        #expect(script.on(.ended(id: 1, isProductive: true)) == [])
        #expect(script.on(.wanted) == [.dial(id: 3)])
    }

    @Test("fruitless connections are followed by a growing wait, productive ones by none")
    func backsOff() {
        var script = Script()
        _ = script.on(.wanted)
        #expect(script.on(.ended(id: 1, isProductive: false), at: 10) == [])
        let due = script.machine.nextDue
        #expect((510...1010).contains(due))
        #expect(script.on(.tick, at: due - 1) == [])
        #expect(script.on(.wanted, at: due - 1) == [])
        #expect(script.on(.tick, at: due) == [.dial(id: 2)])
        #expect(script.on(.ended(id: 2, isProductive: false), at: 5000) == [])
        #expect((6000...7000).contains(script.machine.nextDue))
        #expect(script.on(.tick, at: 7000) == [.dial(id: 3)])
        _ = script.on(.ready(id: 3), at: 7000)
        #expect(script.on(.ended(id: 3, isProductive: true), at: 8000) == [.dial(id: 4)])
    }

    @Test("a peer that says GOAWAY before it answers anything is not dialled without a wait")
    func goAwayLoop() {
        var script = Script()
        _ = script.on(.wanted)
        _ = script.on(.ready(id: 1))
        #expect(script.on(.draining(id: 1, isProductive: false)) == [])
        #expect(script.machine.nextDue >= 500)
        #expect(script.machine.nextDue != .max)
    }

    @Test("nothing is dialled or waited for without work")
    func idle() {
        var script = Script()
        _ = script.on(.wanted)
        _ = script.on(.ready(id: 1))
        _ = script.on(.satisfied)
        #expect(script.on(.ended(id: 1, isProductive: true)) == [])
        #expect(script.machine.nextDue == .max)
    }

    @Test("shutdown ends every connection, then the pool, and nothing is dialled any more")
    func shutdown() {
        var script = Script()
        _ = script.on(.wanted)
        _ = script.on(.ready(id: 1))
        _ = script.on(.draining(id: 1, isProductive: true))
        #expect(
            script.on(.shutdown(deadline: 9)) == [.shutDown(id: 1, deadline: 9), .shutDown(id: 2, deadline: 9)]
        )
        #expect(script.on(.ended(id: 2, isProductive: false)) == [])
        #expect(script.on(.wanted) == [])
        #expect(script.on(.ended(id: 1, isProductive: true)) == [.finished])
        #expect(script.on(.shutdown(deadline: 9)) == [])
    }

    @Test("shutdown of a pool that never dialled finishes at once")
    func shutdownUnused() {
        var script = Script()
        #expect(script.on(.shutdown(deadline: 9)) == [.finished])
    }

    @Test(
        "the wait doubles up to its cap, and jitter takes up to half of it",
        arguments: [(0, 0, 0), (1, 500, 1000), (2, 1000, 2000), (4, 4000, 8000), (5, 4000, 8000), (90, 4000, 8000)]
            as [(Int, UInt64, UInt64)]
    )
    func backoff(failures: Int, least: UInt64, most: UInt64) {
        let backoff = DialBackoff(base: 1000, cap: 8000)
        for random in [0, 1, 12_345, UInt64.max] {
            #expect((least...most).contains(backoff.wait(failures: failures, random: random)))
        }
    }
}
