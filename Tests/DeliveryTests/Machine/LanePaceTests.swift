import Delivery
import GatewayModel
import GatewayStorage
import PushProviders
import Testing

@Suite("A lane with a pace")
struct LanePaceTests {
    private static let lane = MachineScript.lane

    private func script(_ devices: Int64, pace: Int64) throws -> (MachineScript, [OutboxRow]) {
        var script = MachineScript(slots: 256)
        let rows = try (1...devices).map { try script.row(device: $0, consumer: $0) }
        script.machine.setPace(pace, of: Self.lane, now: script.now)
        script.turn(owned: rows)
        return (script, rows)
    }

    @Test("no more leave than its pace, and the machine says when the next may", arguments: [1, 7, 25, 100, 1000])
    func kept(pace: Int64) throws {
        var (script, rows) = try script(200, pace: pace)
        let start = script.now
        var departures: [Timestamp] = []
        while departures.count < min(Int(pace) * 3, rows.count) {
            for job in script.take() {
                departures.append(script.now)
                script.respond(job.delivery, .accepted(providerID: nil))
            }
            // At most 80 ms of the rate, or one push, leave at once.
            let passed = script.now.milliseconds - start.milliseconds
            #expect(Int64(departures.count) * 1000 <= max(80 * pace, 1000) + passed * pace)
            guard departures.count < rows.count else { break }
            #expect(!script.machine.hasWork(Self.lane, now: script.now))
            let next = try #require(script.machine.nextDeadline(now: script.now))
            #expect(next > script.now)
            script.now = next
            #expect(script.machine.hasWork(Self.lane, now: script.now))
        }
        // Nothing of the pace is lost.
        let last = try #require(departures.last)
        #expect(Int64(departures.count) * 1000 >= (last.milliseconds - start.milliseconds) * pace)
    }

    @Test("agents' messages leave first")
    func classes() throws {
        var script = MachineScript()
        var badge = try script.row(device: 1, consumer: 1)
        badge.queue = .badge
        let row = try script.row(device: 2, consumer: 2)
        script.machine.setPace(1, of: Self.lane, now: script.now)
        script.turn(owned: [badge, row])
        #expect(script.take().map(\.delivery) == [row.id])
        script.now = script.now.adding(milliseconds: 999)
        #expect(script.take().isEmpty)
        script.now = script.now.adding(milliseconds: 1)
        #expect(script.take().map(\.delivery) == [badge.id])
    }

    @Test("a changed pace applies at once; without one all leave, and other lanes never wait")
    func changes() throws {
        var (script, rows) = try script(30, pace: 1)
        let other = try script.row(device: 99, consumer: 99, lane: MachineScript.otherLane)
        script.turn(owned: [other])
        #expect(script.take().count == 1)
        #expect(script.take().isEmpty)
        #expect(script.take(lane: MachineScript.otherLane).map(\.delivery) == [other.id])
        script.machine.setPace(100, of: Self.lane, now: script.now)
        #expect(script.machine.hasWork(Self.lane, now: script.now))
        #expect(script.take().count == 8)
        script.machine.setPace(nil, of: Self.lane, now: script.now)
        #expect(script.machine.hasWork(Self.lane, now: script.now))
        #expect(script.take().count == rows.count - 9)
    }

    @Test("a clock that is set back does not stop it, and a paused lane stays paused")
    func clock() throws {
        var (script, _) = try script(3, pace: 1)
        #expect(script.take().count == 1)
        #expect(script.take().isEmpty)
        script.now = script.now.adding(seconds: -3600)
        #expect(script.machine.hasWork(Self.lane, now: script.now))
        #expect(script.take().isEmpty)
        script.now = script.now.adding(seconds: 1)
        #expect(script.take().count == 1)
        script.machine.pauseLane(Self.lane, now: script.now)
        script.machine.setPace(1000, of: Self.lane, now: script.now)
        #expect(script.take().isEmpty && !script.machine.hasWork(Self.lane, now: script.now))
        #expect(script.machine.status(of: Self.lane, now: script.now).state == .paused)
    }

    @Test("a lane at its pace is sending, also while it waits for the next push")
    func state() throws {
        var (script, _) = try script(3, pace: 1)
        #expect(script.take().count == 1)
        #expect(script.take().isEmpty)
        #expect(script.machine.status(of: Self.lane, now: script.now).state == .sending)
    }
}
