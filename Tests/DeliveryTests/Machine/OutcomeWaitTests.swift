import Delivery
import GatewayModel
import GatewayStorage
import PushProviders
import Testing

@Suite("How long outcomes wait for a commit")
struct OutcomeWaitTests {
    private let wait = DeliverySettings().outcomeWaitMilliseconds

    /// A script with so many pushes on their way, of a device each, and their deliveries.
    private func script(sending count: Int) throws -> (MachineScript, [DeliveryID]) {
        var script = MachineScript(slots: 1000)
        let rows = try (1...count).map { try script.row(device: Int64($0), consumer: Int64($0)) }
        script.turn(owned: rows)
        let sent = script.take(count).map(\.delivery)
        return (script, sent)
    }

    @Test("a push that was taken waits for others, and no longer than 20 ms")
    func waits() throws {
        var (script, sent) = try script(sending: 1)
        script.answer(sent[0], .accepted(providerID: nil))
        #expect(script.machine.outcomesMayWait(now: script.now))
        #expect(script.machine.beginTurn(now: script.now, isPatient: true).outcomes.isEmpty)
        #expect(script.machine.nextDeadline(now: script.now) == script.now.adding(milliseconds: wait))
        var other = script
        #expect(other.machine.beginTurn(now: script.now).outcomes.map(\.delivery) == sent)
        script.now = script.now.adding(milliseconds: wait)
        #expect(!script.machine.outcomesMayWait(now: script.now))
        #expect(script.machine.beginTurn(now: script.now, isPatient: true).outcomes.map(\.delivery) == sent)
    }

    @Test("a few go with a commit that is made in any case, more wait")
    func joins() throws {
        let most = DeliverySettings().outcomesThatJoin
        for (count, joining) in [(1, 1), (most, most), (most + 1, 0)] {
            var (script, sent) = try script(sending: count)
            for delivery in sent { script.answer(delivery, .accepted(providerID: nil)) }
            let plan = script.machine.beginTurn(now: script.now, isPatient: true, joins: true)
            #expect(plan.outcomes.count == joining)
        }
    }

    @Test("many make a commit of their own at once")
    func many() throws {
        var (script, sent) = try script(sending: DeliverySettings().outcomesWorthATurn)
        for delivery in sent.dropLast() { script.answer(delivery, .accepted(providerID: nil)) }
        #expect(script.machine.outcomesMayWait(now: script.now))
        script.answer(sent[sent.count - 1], .accepted(providerID: nil))
        #expect(!script.machine.outcomesMayWait(now: script.now))
        #expect(script.machine.beginTurn(now: script.now, isPatient: true).outcomes.count == sent.count)
    }

    @Test(
        "what a device, an operator or a retry waits for is written down at once, with what came before it",
        arguments: [
            PushOutcome.unregistered(since: nil), .rejected(token: .keep), .rejected(token: .quarantine),
            .retry(afterSeconds: 1, scope: .device),
            .unknown, .notSent,
        ]
    )
    func urgent(_ outcome: PushOutcome) throws {
        var (script, sent) = try script(sending: 2)
        script.answer(sent[0], .accepted(providerID: nil))
        script.answer(sent[1], outcome)
        #expect(!script.machine.outcomesMayWait(now: script.now))
        let plan = script.machine.beginTurn(now: script.now, isPatient: true)
        #expect(plan.outcomes.map(\.delivery) == sent)
        // Of a commit that fails they are as urgent as before.
        script.machine.turnFailed(plan.outcomes)
        #expect(!script.machine.outcomesMayWait(now: script.now))
        script.turn()
        #expect(script.machine.outcomesMayWait(now: script.now))
    }

    @Test("a clock that is set back makes none wait longer")
    func clockSetBack() throws {
        var (script, sent) = try script(sending: 1)
        script.answer(sent[0], .accepted(providerID: nil))
        script.now = script.now.adding(seconds: -3600)
        #expect(!script.machine.outcomesMayWait(now: script.now))
    }

    @Test("a drain writes down at once")
    func drain() throws {
        var (script, sent) = try script(sending: 1)
        script.answer(sent[0], .accepted(providerID: nil))
        script.machine.drain(now: script.now)
        #expect(script.machine.beginTurn(now: script.now, isPatient: true).outcomes.map(\.delivery) == sent)
    }

    @Test("the writer is woken for the first one, for urgent ones and where rows wait in the store")
    func wakes() throws {
        var (script, sent) = try script(sending: 3)
        script.answer(sent[0], .accepted(providerID: nil))
        let lane = MachineScript.lane
        #expect(script.machine.needsTurn(afterAnswersOf: lane, hadOutcomes: false, now: script.now))
        #expect(!script.machine.needsTurn(afterAnswersOf: lane, hadOutcomes: true, now: script.now))
        var other = script
        other.turn(unowned: [lane: script.now])
        other.answer(sent[1], .accepted(providerID: nil))
        #expect(other.machine.needsTurn(afterAnswersOf: lane, hadOutcomes: true, now: script.now))
        script.answer(sent[1], .unknown)
        #expect(script.machine.needsTurn(afterAnswersOf: lane, hadOutcomes: true, now: script.now))
    }
}
