import Delivery
import GatewayModel
import GatewayStorage
import PushProviders
import Testing

@Suite("The wait of outcomes for a commit")
struct OutcomeWaitTests {
    private let wait = DeliverySettings().outcomeWaitMilliseconds

    /// Returns a script with this many pushes in flight, to one device each, and their deliveries; the outcome of
    /// another has just been committed.
    private func script(sending count: Int) throws -> (MachineScript, [DeliveryID]) {
        var script = MachineScript(slots: 1000)
        let rows = try (1...count + 1).map { try script.row(device: Int64($0), consumer: Int64($0)) }
        script.turn(owned: rows)
        let sent = script.take(count + 1).map(\.delivery)
        script.respond(sent[0], .accepted(providerID: nil))
        script.turn()
        return (script, Array(sent.dropFirst()))
    }

    @Test("the first accepted push is recorded at once")
    func first() throws {
        var script = MachineScript(slots: 1000)
        script.turn(owned: [try script.row(device: 1, consumer: 1)])
        let sent = script.take(1).map(\.delivery)
        script.respond(sent[0], .accepted(providerID: nil))
        #expect(!script.machine.outcomesMayWait(now: script.now))
        #expect(script.machine.beginTurn(now: script.now, isPatient: true).outcomes.map(\.delivery) == sent)
    }

    @Test("a push that is accepted soon after a commit with another waits a few milliseconds for more")
    func waits() throws {
        var (script, sent) = try script(sending: 1)
        let last = script.now
        script.now = last.adding(milliseconds: wait - 1)
        script.respond(sent[0], .accepted(providerID: nil))
        #expect(script.machine.outcomesMayWait(now: script.now))
        #expect(script.machine.beginTurn(now: script.now, isPatient: true).outcomes.isEmpty)
        #expect(script.machine.nextDeadline(now: script.now) == last.adding(milliseconds: wait))
        var other = script
        #expect(other.machine.beginTurn(now: script.now).outcomes.map(\.delivery) == sent)
        script.now = last.adding(milliseconds: wait)
        #expect(!script.machine.outcomesMayWait(now: script.now))
        #expect(script.machine.beginTurn(now: script.now, isPatient: true).outcomes.map(\.delivery) == sent)
    }

    @Test("many make a commit of their own at once")
    func many() throws {
        var (script, sent) = try script(sending: DeliverySettings().outcomesWorthATurn)
        for delivery in sent.dropLast() { script.respond(delivery, .accepted(providerID: nil)) }
        #expect(script.machine.outcomesMayWait(now: script.now))
        script.respond(sent[sent.count - 1], .accepted(providerID: nil))
        #expect(!script.machine.outcomesMayWait(now: script.now))
        #expect(script.machine.beginTurn(now: script.now, isPatient: true).outcomes.count == sent.count)
    }

    @Test(
        "a record that a device, an operator or a retry waits for is stored at once, with earlier ones",
        arguments: [
            PushOutcome.unregistered(since: nil), .rejected(token: .keep), .rejected(token: .quarantine),
            .retry(afterSeconds: 1, scope: .device),
            .unknown, .notSent,
        ]
    )
    func urgent(_ outcome: PushOutcome) throws {
        var (script, sent) = try script(sending: 2)
        script.respond(sent[0], .accepted(providerID: nil))
        script.respond(sent[1], outcome)
        #expect(!script.machine.outcomesMayWait(now: script.now))
        let plan = script.machine.beginTurn(now: script.now, isPatient: true)
        #expect(plan.outcomes.map(\.delivery) == sent)
        // After a failed commit they are as urgent as before.
        script.machine.turnFailed(plan.outcomes)
        #expect(!script.machine.outcomesMayWait(now: script.now))
        script.turn()
        #expect(script.machine.outcomesMayWait(now: script.now))
    }

    @Test(
        "while a campaign is sent, callers' turns leave its outcomes for the next, but urgent ones",
        arguments: [true, false],
        [true, false]
    )
    func yields(isCampaign: Bool, isUrgent: Bool) throws {
        var (script, sent) = try script(sending: 3)
        var waiting = try script.row(device: 9, consumer: 9)
        if isCampaign { waiting.queue = .proactive(campaign: nil) }
        script.turn(owned: [waiting])
        script.respond(sent[0], .accepted(providerID: nil))
        if isUrgent { script.respond(sent[1], .unknown) }
        script.now = script.now.adding(milliseconds: wait)
        var next = script
        let plan = script.machine.beginTurn(now: script.now, isPatient: true, yields: true)
        #expect(plan.outcomes.isEmpty == (isCampaign && !isUrgent))
        #expect(next.machine.beginTurn(now: script.now, isPatient: true).outcomes.count == (isUrgent ? 2 : 1))
    }

    @Test(
        "while a campaign is sent, a turn leaves some of many to the next, unless one is urgent or the writer stops",
        arguments: [(100, 100), (200, 128), (300, 150), (600, 350)]
    )
    func divides(count: Int, stored: Int) throws {
        var (script, sent) = try script(sending: count)
        var rows = try [900, 901].map { try script.row(device: $0, consumer: $0) }
        for index in rows.indices { rows[index].queue = .proactive(campaign: nil) }
        script.turn(owned: rows)
        for delivery in sent { script.respond(delivery, .accepted(providerID: nil)) }
        script.now = script.now.adding(milliseconds: wait)
        var (urgent, stopping) = (script, script)
        #expect(script.machine.beginTurn(now: script.now, isPatient: true).outcomes.count == stored)
        #expect(stopping.machine.beginTurn(now: script.now).outcomes.count == count)
        for job in urgent.take(1) { urgent.respond(job.delivery, .unknown) }
        #expect(urgent.machine.beginTurn(now: script.now, isPatient: true).outcomes.count == count + 1)
    }

    @Test("a clock that is set back makes none wait longer")
    func clockSetBack() throws {
        var (script, sent) = try script(sending: 1)
        script.respond(sent[0], .accepted(providerID: nil))
        script.now = script.now.adding(seconds: -3600)
        #expect(!script.machine.outcomesMayWait(now: script.now))
    }

    @Test("none waits while rows in the store must become due at once, or the writer would never sleep")
    func requeues() throws {
        var (script, sent) = try script(sending: 1)
        script.respond(sent[0], .accepted(providerID: nil))
        var brand = BrandSettings()
        brand.quietHours = QuietHours(from: 0, to: 60, timeZone: "UTC", mode: .held)
        script.machine.setRules(LaneRules(brand), of: MachineScript.lane, isChange: true)
        let plan = script.machine.beginTurn(now: script.now, isPatient: true)
        #expect(!plan.requeues.isEmpty)
        #expect(plan.outcomes.map(\.delivery) == sent)
    }

    @Test("a drain stores them at once")
    func drain() throws {
        var (script, sent) = try script(sending: 1)
        script.respond(sent[0], .accepted(providerID: nil))
        script.machine.drain(now: script.now)
        #expect(script.machine.beginTurn(now: script.now, isPatient: true).outcomes.map(\.delivery) == sent)
    }

    @Test("the writer is woken for the first one, for urgent ones and where rows wait in the store")
    func wakes() throws {
        var (script, sent) = try script(sending: 3)
        script.respond(sent[0], .accepted(providerID: nil))
        let lane = MachineScript.lane
        #expect(script.machine.needsTurn(afterAnswersOf: lane, hadOutcomes: false, now: script.now))
        #expect(!script.machine.needsTurn(afterAnswersOf: lane, hadOutcomes: true, now: script.now))
        var other = script
        other.turn(unowned: [lane: script.now])
        other.respond(sent[1], .accepted(providerID: nil))
        #expect(other.machine.needsTurn(afterAnswersOf: lane, hadOutcomes: true, now: script.now))
        script.respond(sent[1], .unknown)
        #expect(script.machine.needsTurn(afterAnswersOf: lane, hadOutcomes: true, now: script.now))
    }
}
