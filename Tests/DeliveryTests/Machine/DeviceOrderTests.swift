import Delivery
import GatewayModel
import GatewayStorage
import PushProviders
import Testing

@Suite("One device's pushes stay in order, one at a time")
struct DeviceOrderTests {
    @Test("the second push of a device waits for the first one's result")
    func oneInFlight() throws {
        var script = MachineScript()
        let first = try script.row(sequence: 1, unread: 2)
        let second = try script.row(sequence: 2, unread: 2)
        let stranger = try script.row(device: 2, consumer: 2)
        script.turn(owned: [first, second, stranger])
        #expect(script.take().map(\.delivery) == [first.id, stranger.id])
        #expect(script.take().isEmpty)
        #expect(script.respond(first.id, .accepted(providerID: nil)) == [MachineScript.lane])
        #expect(script.take().map(\.delivery) == [second.id])
    }

    @Test("a retry requeues the device's younger rows too, due together")
    func retryTakesSiblings() throws {
        var script = MachineScript()
        let first = try script.row(sequence: 1)
        let second = try script.row(sequence: 2)
        script.turn(owned: [first, second])
        _ = script.take()
        script.respond(first.id, .retry(afterSeconds: 10, scope: .device), status: 429)
        let plan = script.turn()
        guard plan.outcomes.count == 2, case .retry(let due) = plan.outcomes[0].disposition else {
            Issue.record("expected a retry and a release, got \(plan.outcomes)")
            return
        }
        #expect(due >= script.now.adding(seconds: 10) && due <= script.now.adding(seconds: 12))
        #expect(plan.outcomes[1].disposition == .release(due: due, isAsked: true))
        #expect(plan.outcomes.map(\.delivery) == [first.id, second.id])
        #expect(script.machine.rowCount == 0)
        #expect(script.machine.nextDeadline(now: script.now) == due)
    }

    @Test("a row that a commit under way hands out does not overtake an older one that was requeued meanwhile")
    func committedDuringRequeue() throws {
        var script = MachineScript()
        let first = try script.row(sequence: 1)
        script.turn(owned: [first])
        _ = script.take()
        let plan = script.machine.beginTurn(now: script.now)
        script.respond(first.id, .retry(afterSeconds: 10, scope: .device), status: 503)
        let second = try script.row(sequence: 2)
        script.commit(plan, owned: [second])
        #expect(script.take().isEmpty)
        let next = script.turn()
        #expect(next.outcomes.map(\.delivery) == [first.id, second.id])
        if case .release = next.outcomes.last?.disposition {} else { Issue.record("the second row was not released") }
        // From then on the engine itself keeps younger rows behind.
        let third = try script.row(sequence: 3)
        script.turn(owned: [third])
        #expect(script.take().map(\.delivery) == [third.id])
    }

    @Test("while rows wait in the store for a later time, the engine knows that there may be a backlog")
    func budgetSaysMayHaveBacklog() throws {
        var script = MachineScript()
        let first = try script.row()
        script.turn(owned: [first])
        let before = script.turn()
        #expect(before.budgets[MachineScript.lane]?.mayHaveBacklog == false)
        _ = script.take()
        script.respond(first.id, .unknown, status: 0)
        #expect(script.machine.beginTurn(now: script.now).budgets[MachineScript.lane]?.mayHaveBacklog == true)
    }

    @Test("a row that is due again at once is claimed by the commit that requeues it, and leaves again")
    func retriedAtOnce() throws {
        var script = MachineScript()
        let row = try script.row()
        script.turn(owned: [row])
        _ = script.take()
        script.respond(row.id, .retry(afterSeconds: 0, scope: .device), status: 403)
        let plan = script.machine.beginTurn(now: script.now)
        #expect(plan.claims.map(\.lane) == [MachineScript.lane])
        script.commit(plan, claims: [ClaimResult(lane: MachineScript.lane, rows: [row], nextDue: nil)])
        #expect(script.take().map(\.delivery) == [row.id])
        #expect(script.turn().outcomes.isEmpty)
    }
}
