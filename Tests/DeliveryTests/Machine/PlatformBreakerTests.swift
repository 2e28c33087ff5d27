import Delivery
import GatewayModel
import GatewayStorage
import PushProviders
import Testing

@Suite("The breaker of a platform whose devices a provider cannot reach")
struct PlatformBreakerTests {
    private static let lane = MachineScript.lane

    /// Returns rows of devices of these platforms, in memory.
    private func script(_ platforms: [DevicePlatform]) throws -> (MachineScript, [OutboxRow]) {
        var script = MachineScript(slots: 100)
        let rows = try platforms.enumerated().map { number, platform in
            var row = try script.row(device: Int64(number + 1), consumer: Int64(number + 1))
            row.platform = platform
            return row
        }
        script.turn(owned: rows)
        return (script, rows)
    }

    private func refuse(_ script: inout MachineScript, _ row: OutboxRow) {
        script.respond(row.id, .platformMisconfigured, status: 401)
    }

    /// Returns the next turn's record of a row.
    private func disposition(_ plan: DeliveryMachine.TurnPlan, _ row: OutboxRow) -> OutcomeRecord.Disposition? {
        plan.outcomes.first { $0.delivery == row.id }?.disposition
    }

    private func claim(_ script: inout MachineScript, _ rows: [OutboxRow]) {
        script.turn(claims: [ClaimResult(lane: Self.lane, rows: rows, nextDue: nil)])
    }

    @Test("the platform's rows are requeued for 30 s, others leave")
    func others() throws {
        var (script, rows) = try script([.ios, .ios, .android, .web])
        #expect(script.take(1).map(\.delivery) == [rows[0].id])
        refuse(&script, rows[0])
        #expect(script.take().map(\.delivery) == [rows[2].id, rows[3].id])
        let until = script.now.adding(seconds: 30)
        let plan = script.turn()
        #expect(disposition(plan, rows[0]) == .retry(due: until))
        #expect(disposition(plan, rows[1]) == .release(due: until, isAsked: true))
        #expect(script.machine.nextDeadline(now: script.now) == until)
        #expect(script.machine.lanes[Self.lane]?.breaker == .closed)
        #expect(script.machine.lanes[Self.lane]?.stoppedPlatforms == 1)
    }

    @Test("one push at a time is a probe, the wait doubles, and the first that is accepted ends it")
    func probes() throws {
        var (script, rows) = try script([.ios, .ios, .ios, .android])
        #expect(script.take(1).count == 1)
        refuse(&script, rows[0])
        #expect(script.take().map(\.delivery) == [rows[3].id])
        script.turn()
        for seconds: Int64 in [30, 60, 120] {
            script.now = script.now.adding(seconds: seconds)
            claim(&script, [rows[0], rows[1]])
            #expect(script.take().map(\.delivery) == [rows[0].id])
            // Meanwhile the others are checked again soon.
            #expect(disposition(script.turn(), rows[1]) == .release(due: script.now.adding(seconds: 5), isAsked: true))
            refuse(&script, rows[0])
            let due = script.now.adding(seconds: seconds * 2)
            #expect(disposition(script.turn(), rows[0]) == .retry(due: due))
            claim(&script, [rows[2]])
            #expect(script.take().isEmpty)
            #expect(disposition(script.turn(), rows[2]) == .release(due: due, isAsked: true))
        }
        script.now = script.now.adding(seconds: 240)
        claim(&script, rows.dropLast())
        #expect(script.take().map(\.delivery) == [rows[0].id])
        script.respond(rows[0].id, .accepted(providerID: nil))
        #expect(script.machine.lanes[Self.lane]?.stoppedPlatforms == 0)
        script.turn()
        claim(&script, [rows[1], rows[2]])
        #expect(script.take().map(\.delivery) == [rows[1].id, rows[2].id])
    }

    @Test("a probe that was rejected for another reason, or has no result, proves nothing: another follows at once")
    func nothingProven() throws {
        let outcomes: [PushOutcome] = [
            .unregistered(since: nil), .rejected(token: .keep), .unknown, .retry(afterSeconds: 10, scope: .device),
            .notSent,
        ]
        for outcome in outcomes {
            var (script, rows) = try script([.ios, .ios, .ios])
            #expect(script.take(1).count == 1)
            refuse(&script, rows[0])
            #expect(script.take().isEmpty)
            script.turn()
            script.now = script.now.adding(seconds: 30)
            claim(&script, [rows[1]])
            #expect(script.take().map(\.delivery) == [rows[1].id])
            script.respond(rows[1].id, outcome)
            script.turn()
            claim(&script, [rows[2]])
            #expect(script.take().map(\.delivery) == [rows[2].id])
            #expect(script.machine.lanes[Self.lane]?.stoppedPlatforms == 1)
        }
    }

    @Test("operators are alerted once that a platform stopped, and once that it is back")
    func alerts() throws {
        var (script, rows) = try script([.web, .web, .web, .ios])
        #expect(script.take().count == 4)
        refuse(&script, rows[0])
        let until = script.now.adding(seconds: 30)
        #expect(
            script.machine.takeAlerts().map(\.alert)
                == [.platformStopped(.web, until: until, status: 401, reason: nil)]
        )
        // They were in flight; neither lengthens the wait, and an acceptance among them proves nothing.
        refuse(&script, rows[1])
        script.respond(rows[2].id, .accepted(providerID: nil))
        script.respond(rows[3].id, .accepted(providerID: nil))
        #expect(script.machine.takeAlerts().isEmpty)
        script.turn()
        script.now = until
        claim(&script, [rows[0]])
        #expect(script.take().count == 1)
        refuse(&script, rows[0])
        #expect(script.machine.takeAlerts().isEmpty)
        script.turn()
        script.now = until.adding(seconds: 60)
        claim(&script, [rows[0]])
        #expect(script.take().count == 1)
        script.respond(rows[0].id, .accepted(providerID: nil))
        #expect(script.machine.takeAlerts().map(\.alert) == [.platformRecovered(.web)])
    }

    @Test("each platform has its own breaker, and a new credential of the lane closes both")
    func reset() throws {
        var (script, rows) = try script([.web, .ios, .web, .ios])
        #expect(script.take(2).count == 2)
        refuse(&script, rows[0])
        refuse(&script, rows[1])
        #expect(script.machine.lanes[Self.lane]?.stoppedPlatforms == 2)
        #expect(script.take().isEmpty)
        script.turn()
        script.machine.resetLane(Self.lane, now: script.now)
        #expect(script.machine.lanes[Self.lane]?.stoppedPlatforms == 0)
        claim(&script, [rows[2], rows[3]])
        #expect(script.take().count == 2)
    }

    @Test("the lane's own credential counts as good when only the platform's is rejected")
    func ownCredential() throws {
        var (script, rows) = try script([.android, .ios, .android])
        #expect(script.take(1).count == 1)
        script.respond(rows[0].id, .misconfigured, status: 403)
        script.now = script.now.adding(seconds: 30)
        #expect(script.take().map(\.delivery) == [rows[1].id])
        refuse(&script, rows[1])
        #expect(script.machine.lanes[Self.lane]?.breaker == .closed)
        #expect(script.take().map(\.delivery) == [rows[2].id])
    }
}
