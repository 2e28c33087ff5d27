import Delivery
import GatewayModel
import GatewayStorage
import PushProviders
import Testing

@Suite("Rows in memory that expire or are collapsed")
struct ExpiryTests {
    private func expired(_ plan: DeliveryMachine.TurnPlan) -> [DeliveryID] {
        plan.outcomes.filter { $0.disposition == .finished(.expired, nil) }.map(\.delivery)
    }

    @Test("a row expires even if its lane may send nothing, and the deadline is that time")
    func blockedLane() throws {
        var script = MachineScript()
        let rows = [
            try script.row(device: 1, ttlSeconds: 3600), try script.row(device: 2, consumer: 2, ttlSeconds: 10),
            try script.row(device: 2, consumer: 2, sequence: 2, ttlSeconds: 3600),
        ]
        script.turn(owned: rows)
        script.machine.refuse(MachineScript.lane, now: script.now)
        let expiry = script.now.adding(seconds: 10)
        #expect(script.machine.nextDeadline(now: script.now) == expiry)
        script.now = script.now.adding(seconds: 9)
        #expect(expired(script.turn()) == [])
        script.now = expiry
        #expect(expired(script.turn()) == [rows[1].id])
        #expect(script.machine.rowCount == 2)
        #expect(script.take().isEmpty)
        script.now = script.now.adding(seconds: 30)
        #expect(script.take(1).map(\.delivery) == [rows[0].id])
        script.respond(rows[0].id, .accepted(providerID: nil))
        #expect(script.take().map(\.delivery) == [rows[2].id])
    }

    @Test("while the clock may be wrong nothing expires: rows leave and are retried")
    func clockInDoubt() throws {
        var script = MachineScript()
        let rows = [
            try script.row(device: 1, ttlSeconds: 10), try script.row(device: 1, sequence: 2, ttlSeconds: 10),
            try script.row(device: 2, consumer: 2, ttlSeconds: 10),
        ]
        script.machine.mayExpire = false
        script.turn(owned: rows)
        script.now = script.now.adding(seconds: 60 * 86_400)
        #expect(script.machine.nextDeadline(now: script.now) == nil)
        #expect(expired(script.turn()) == [])
        #expect(script.take().map(\.delivery) == [rows[0].id, rows[2].id])
        script.respond(rows[0].id, .accepted(providerID: nil))
        script.respond(rows[2].id, .retry(afterSeconds: nil, scope: .device), status: 503)
        let plan = script.turn()
        #expect(expired(plan) == [])
        let retried = plan.outcomes.filter { if case .retry = $0.disposition { true } else { false } }
        #expect(retried.map(\.delivery) == [rows[2].id])
        // The clock was right after all.
        script.machine.mayExpire = true
        #expect(script.machine.nextDeadline(now: script.now).map { $0 <= script.now } == true)
        #expect(expired(script.turn()) == [rows[1].id])
    }

    @Test("a row in flight does not expire, rows behind it do")
    func behindOneOnItsWay() throws {
        var script = MachineScript()
        let rows = [
            try script.row(ttlSeconds: 10), try script.row(sequence: 2, ttlSeconds: 10),
            try script.row(sequence: 3, ttlSeconds: 3600),
        ]
        script.turn(owned: rows)
        #expect(script.take().map(\.delivery) == [rows[0].id])
        script.now = script.now.adding(seconds: 11)
        #expect(expired(script.turn()) == [rows[1].id])
        #expect(script.take().isEmpty)
        script.respond(rows[0].id, .accepted(providerID: nil))
        #expect(script.take().map(\.delivery) == [rows[2].id])
        #expect(script.machine.lanes[MachineScript.lane]?.rows.total == 1)
    }

    @Test("memory is searched at most once a second, and again after the clock was set back")
    func search() throws {
        var script = MachineScript()
        let start = script.now
        let first = try script.row(device: 1, ttlSeconds: 10)
        let second = try script.row(device: 2, consumer: 2, ttlSeconds: 10)
        script.turn(owned: [first])
        script.machine.refuse(MachineScript.lane, now: script.now)
        script.now = start.adding(seconds: 10)
        #expect(expired(script.turn()) == [first.id])
        script.turn(owned: [second])
        #expect(expired(script.turn()) == [])
        #expect(script.machine.nextDeadline(now: script.now) == script.now.adding(seconds: 1))
        script.now = start.adding(milliseconds: 10_500)
        #expect(expired(script.turn()) == [])
        script.now = start.adding(seconds: 11)
        #expect(expired(script.turn()) == [second.id])
    }

    @Test("a waiting row that is collapsed leaves memory; one in flight gets its result")
    func collapsed() throws {
        var script = MachineScript()
        let rows = [try script.row(), try script.row(sequence: 2), try script.row(sequence: 3)]
        script.turn(owned: rows)
        #expect(script.take().map(\.delivery) == [rows[0].id])
        let newest = try script.row(sequence: 4)
        let plan = script.machine.beginTurn(now: script.now)
        var result = WriterTurnResult()
        result.owned = [newest]
        result.updates.withdrawn = [rows[0], rows[1]].map {
            WithdrawnRow(delivery: $0.id, registration: $0.registration)
        }
        _ = script.machine.turnCommitted(
            result,
            of: WriterTurn(now: script.now, incarnation: IncarnationID(1)),
            now: script.now
        )
        #expect(plan.outcomes.isEmpty)
        #expect(script.machine.rowCount == 3)
        #expect(script.take().isEmpty)
        script.respond(rows[0].id, .accepted(providerID: nil))
        #expect(script.take().map(\.delivery) == [rows[2].id])
        script.respond(rows[2].id, .accepted(providerID: nil))
        #expect(script.take().map(\.delivery) == [newest.id])
    }
}
