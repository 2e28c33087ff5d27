import Delivery
import GatewayModel
import GatewayStorage
import PushProviders
import Testing

@Suite("A lane that an operator pauses, and the state of lanes")
struct OperatorPauseTests {
    private static let lane = MachineScript.lane

    private func script(_ devices: Int64) throws -> (MachineScript, [OutboxRow]) {
        var script = MachineScript()
        let rows = try (1...devices).map { try script.row(device: $0, consumer: $0) }
        script.turn(owned: rows)
        return (script, rows)
    }

    private func wakesNow(_ script: MachineScript) -> Bool {
        script.machine.nextDeadline(now: script.now).map { $0 <= script.now } ?? false
    }

    @Test("a paused lane requeues what waits, keeps what is in flight, and takes nothing until it is resumed")
    func pause() throws {
        var (script, rows) = try script(3)
        #expect(script.take(1).map(\.delivery) == [rows[0].id])
        script.machine.pauseLane(Self.lane, now: script.now)
        #expect(script.take().isEmpty && !script.machine.hasWork(Self.lane, now: script.now))
        let plan = script.turn()
        #expect(Set(plan.outcomes.map(\.delivery)) == [rows[1].id, rows[2].id])
        #expect(plan.outcomes.allSatisfy { $0.disposition == .release(due: script.now, isAsked: false) })
        #expect(plan.budgets[Self.lane] == nil && plan.claims.isEmpty)
        // The push in flight ends as any other.
        script.respond(rows[0].id, .accepted(providerID: nil))
        #expect(script.turn(unowned: [Self.lane: script.now]).outcomes.map(\.delivery) == [rows[0].id])
        let quiet = script.turn()
        #expect(!quiet.needsCommit && quiet.budgets[Self.lane] == nil && !wakesNow(script))

        script.machine.resumeLane(Self.lane, now: script.now)
        #expect(wakesNow(script))
        let claims = script.machine.beginTurn(now: script.now).claims
        #expect(claims.contains { $0.lane == Self.lane && $0.queue == .agent })
    }

    @Test("rows that a commit hands out while the lane is paused are requeued; a retry in flight waits too")
    func duringTurn() throws {
        var (script, rows) = try script(1)
        #expect(script.take().count == 1)
        let plan = script.machine.beginTurn(now: script.now)
        let late = try script.row(device: 2, consumer: 2)
        script.machine.pauseLane(Self.lane, now: script.now)
        script.commit(plan, owned: [late])
        #expect(script.take().isEmpty)
        #expect(script.turn().outcomes.map(\.delivery) == [late.id])
        script.respond(rows[0].id, .retry(afterSeconds: nil, scope: .device), status: 503)
        script.now = script.now.adding(seconds: 3600)
        #expect(script.turn().claims.isEmpty)
        #expect(script.take().isEmpty)
    }

    @Test("another credential does not resume it, and resuming does not close its breaker")
    func otherReasons() throws {
        var (script, rows) = try script(2)
        #expect(script.take(1).count == 1)
        script.respond(rows[0].id, .misconfigured, status: 403)
        let until = script.now.adding(seconds: 30)
        func status() -> LaneStatus { script.machine.status(of: Self.lane, now: script.now) }
        #expect(status().state == .stopped && status().nextTryAt == until)
        #expect(status().cause?.status == 403)
        script.machine.pauseLane(Self.lane, now: script.now)
        #expect(status().state == .paused && status().nextTryAt == nil)
        script.turn()
        script.machine.resumeLane(Self.lane, now: script.now)
        #expect(status().state == .stopped && script.turn().claims.isEmpty)

        script.machine.pauseLane(Self.lane, now: script.now)
        script.machine.resetLane(Self.lane, now: script.now)
        #expect(status().state == .paused && script.turn().claims.isEmpty)
        script.machine.resumeLane(Self.lane, now: script.now)
        #expect(status().state == .idle && status().cause == nil)
        #expect(script.turn().claims.contains { $0.queue == .agent })
    }

    @Test("resuming a lane that is not paused changes nothing")
    func notPaused() {
        var script = MachineScript()
        script.machine.resumeLane(Self.lane, now: script.now)
        #expect(script.machine.lanes[Self.lane] == nil)
        script.machine.addLane(Self.lane)
        script.machine.resumeLane(Self.lane, now: script.now)
        #expect(script.machine.lanes[Self.lane]?.backlog.isEmpty == true)
    }

    @Test("a lane's state counts its rows by class, and names the push that waits longest")
    func counts() throws {
        var (script, rows) = try script(3)
        #expect(script.machine.status(of: MachineScript.otherLane, now: script.now) == LaneStatus())
        script.now = script.now.adding(seconds: 7)
        #expect(script.take(1).count == 1)
        var expected = LaneStatus()
        expected.state = .sending
        expected.rows = RowCounts(agent: 3)
        expected.inFlight = 1
        expected.oldestQueuedAt = rows[1].queuedAt
        #expect(script.machine.status(of: Self.lane, now: script.now) == expected)

        script.respond(rows[0].id, .retry(afterSeconds: 20, scope: .lane), status: 429)
        let paused = script.machine.status(of: Self.lane, now: script.now)
        #expect(paused.state == .overloaded && paused.nextTryAt == script.now.adding(seconds: 20))
        #expect(paused.cause?.status == 429 && paused.rows == RowCounts(agent: 2))
        script.machine.removeLane(Self.lane, now: script.now)
        #expect(script.machine.status(of: Self.lane, now: script.now).state == .closed)
    }
}
