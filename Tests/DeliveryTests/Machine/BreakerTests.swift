import Delivery
import GatewayModel
import GatewayStorage
import PushProviders
import Testing

@Suite("The credential breaker of a lane, and its alerts")
struct BreakerTests {
    private static let lane = MachineScript.lane

    private func script(_ devices: Int) throws -> (MachineScript, [OutboxRow]) {
        var script = MachineScript()
        let rows = try (1...devices).map { try script.row(device: Int64($0), consumer: Int64($0)) }
        script.turn(owned: rows)
        return (script, rows)
    }

    @Test("an overloaded provider proves nothing: the lane stays stopped, and its wait keeps growing")
    func overload() throws {
        var (script, rows) = try script(4)
        #expect(script.take(1).count == 1)
        script.respond(rows[0].id, .misconfigured, status: 403)
        script.now = script.now.adding(seconds: 30)
        #expect(script.take().count == 1)
        script.respond(rows[1].id, .retry(afterSeconds: nil, scope: .device), status: 500)
        // Retried at once, with one push.
        #expect(script.take().map(\.delivery) == [rows[2].id])
        script.respond(rows[2].id, .misconfigured, status: 403)
        guard case .open(let until) = script.machine.lanes[Self.lane]?.breaker else {
            Issue.record("the breaker is not open")
            return
        }
        #expect(until == script.now.adding(seconds: 60))
    }

    @Test(
        "a rejection of the push itself shows that the credential works",
        arguments: [
            PushOutcome.accepted(providerID: nil), .rejected(token: .keep), .rejected(token: .quarantine),
            .unregistered(since: nil),
        ]
    )
    func judgement(outcome: PushOutcome) throws {
        var (script, rows) = try script(3)
        #expect(script.take(1).count == 1)
        script.respond(rows[0].id, .misconfigured, status: 403)
        script.now = script.now.adding(seconds: 30)
        #expect(script.take().count == 1)
        _ = script.machine.takeAlerts()
        script.respond(rows[1].id, outcome)
        #expect(script.machine.lanes[Self.lane]?.breaker == .closed)
        #expect(script.machine.takeAlerts().map(\.alert) == [.recovered])
    }

    @Test("operators are alerted once that a lane stopped, however many pushes were in flight")
    func alertOnce() throws {
        var (script, rows) = try script(3)
        #expect(script.take().count == 3)
        script.respond(rows[0].id, .misconfigured, status: 403)
        let first = script.machine.takeAlerts()
        #expect(first.map(\.lane) == [Self.lane])
        #expect(
            first.map(\.alert) == [.stopped(until: script.now.adding(seconds: 30), status: 403, reason: nil)]
        )
        script.respond(rows[1].id, .misconfigured, status: 403)
        script.respond(rows[2].id, .misconfigured, status: 403)
        #expect(script.machine.takeAlerts().isEmpty)
    }

    @Test("a rejection of the old token does not count for a device's new one, and the push is retried with it")
    func newToken() throws {
        for outcome in [PushOutcome.unregistered(since: nil), .rejected(token: .quarantine)] {
            var (script, rows) = try script(1)
            #expect(script.take().count == 1)
            // A younger row of the same device, committed with its new token.
            var renewed = try script.row(device: 1, consumer: 1, sequence: 2)
            renewed.token = "another"
            script.turn(owned: [renewed])
            script.respond(rows[0].id, outcome, status: 410)
            let record = try #require(script.turn().outcomes.first { $0.delivery == rows[0].id })
            #expect(record.disposition == .retry(due: script.now))
            #expect(record.token == .none)
        }
    }

    @Test("twenty rejected tokens in a row stop the lane, which then probes with one device at a time")
    func refusedTokens() throws {
        var (script, rows) = try manyDevices(23)
        #expect(script.take(20).count == 20)
        for row in rows.prefix(19) { script.respond(row.id, .rejected(token: .quarantine), status: 400) }
        #expect(script.machine.lanes[Self.lane]?.breaker == .closed && script.machine.takeAlerts().isEmpty)
        script.respond(rows[19].id, .rejected(token: .quarantine), status: 400)
        #expect(script.machine.takeAlerts().map(\.alert) == [.tokensRefused(count: 20, reason: nil)])
        #expect(script.take().isEmpty)
        script.now = script.now.adding(seconds: 30)
        #expect(script.take().map(\.delivery) == [rows[20].id])
        script.respond(rows[20].id, .rejected(token: .quarantine), status: 400)
        #expect(script.take().isEmpty)
        script.now = script.now.adding(seconds: 60)
        #expect(script.take().map(\.delivery) == [rows[21].id])
        script.respond(rows[21].id, .accepted(providerID: nil))
        #expect(script.machine.takeAlerts().map(\.alert) == [.recovered])
        #expect(script.take().map(\.delivery) == [rows[22].id])
    }

    @Test("with another credential, the count of rejected tokens starts at 0")
    func refusedTokensAnew() throws {
        var (script, rows) = try manyDevices(21)
        #expect(script.take(20).count == 20)
        for row in rows.prefix(20) { script.respond(row.id, .rejected(token: .quarantine), status: 400) }
        #expect(script.take().isEmpty && script.machine.takeAlerts().count == 1)
        script.machine.resetLane(Self.lane, now: script.now)
        #expect(script.take().map(\.delivery) == [rows[20].id])
        script.respond(rows[20].id, .rejected(token: .quarantine), status: 400)
        #expect(script.machine.lanes[Self.lane]?.breaker == .closed)
    }

    private func manyDevices(_ devices: Int) throws -> (MachineScript, [OutboxRow]) {
        var script = MachineScript(slots: devices)
        let rows = try (1...devices).map { try script.row(device: Int64($0), consumer: Int64($0)) }
        script.turn(owned: rows)
        return (script, rows)
    }
}
