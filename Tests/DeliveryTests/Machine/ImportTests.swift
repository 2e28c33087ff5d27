import Delivery
import GatewayModel
import GatewayStorage
import PushProviders
import Testing

@Suite("Dead tokens that were imported say nothing about a lane that has worked")
struct ImportTests {
    private static let lane = MachineScript.lane

    /// Returns a lane with a row for each of these devices, which were imported, in memory.
    private func imported(_ devices: ClosedRange<Int64>) throws -> (MachineScript, [OutboxRow]) {
        var script = MachineScript(slots: devices.count)
        let rows = try devices.map {
            var row = try script.row(device: $0, consumer: $0)
            row.isImported = true
            return row
        }
        script.turn(owned: rows)
        return (script, rows)
    }

    private func stopped(_ ids: ClosedRange<Int64>, imported: ClosedRange<Int64>) -> [LaneID: StoppedDevices] {
        let devices = StoppedDevices(
            registrations: ids.map { RegistrationID($0) },
            imported: Set(imported.map { RegistrationID($0) }),
            devices: 1000
        )
        return [Self.lane: devices]
    }

    @Test("half of them rejected opens no breaker")
    func halfRejected() throws {
        var (script, rows) = try imported(1...100)
        #expect(script.take().count == 100)
        // Each live one first, then all dead ones in a row.
        for row in rows.prefix(50) { script.respond(row.id, .accepted(providerID: nil)) }
        for row in rows.suffix(50) { script.respond(row.id, .rejected(token: .quarantine), status: 400) }
        #expect(script.machine.lanes[Self.lane]?.breaker == .closed && script.machine.takeAlerts().isEmpty)
    }

    @Test("half of them gone suspends nothing, as long as the others stay below the limit")
    func halfGone() throws {
        var (script, rows) = try imported(1...1)
        #expect(script.take().count == 1)
        script.respond(rows[0].id, .accepted(providerID: nil))
        script.turn(stopped: stopped(2...501, imported: 2...501))
        script.turn(stopped: stopped(502...560, imported: 511...560))
        #expect(script.machine.lanes[Self.lane]?.invalidation.phase == .believing)
        script.turn(stopped: stopped(561...602, imported: 561...561))
        #expect(script.machine.lanes[Self.lane]?.invalidation.phase == .believing)
        script.turn(stopped: stopped(603...603, imported: 999...999))
        #expect(script.machine.lanes[Self.lane]?.invalidation.isSuspended == true)
    }

    @Test("where no push was ever accepted they count: the credential or the environment is probably wrong")
    func neverAccepted() throws {
        var (script, rows) = try imported(1...20)
        #expect(script.take().count == 20)
        for row in rows { script.respond(row.id, .rejected(token: .quarantine), status: 400) }
        #expect(script.machine.takeAlerts().map(\.alert) == [.tokensRefused(count: 20, reason: nil)])
        var other = MachineScript()
        other.turn(stopped: stopped(1...51, imported: 1...51))
        #expect(other.machine.lanes[Self.lane]?.invalidation.isSuspended == true)
    }

    @Test("another credential must prove itself again")
    func otherCredential() throws {
        var (script, rows) = try imported(1...21)
        #expect(script.take(1).count == 1)
        script.respond(rows[0].id, .accepted(providerID: nil))
        script.machine.resetLane(Self.lane, now: script.now)
        #expect(script.take().count == 20)
        for row in rows.dropFirst() { script.respond(row.id, .rejected(token: .quarantine), status: 400) }
        #expect(script.machine.takeAlerts().map(\.alert) == [.tokensRefused(count: 20, reason: nil)])
    }

    @Test("a probe of a stopped lane that meets a dead imported token is followed by another at once")
    func probe() throws {
        var (script, rows) = try imported(1...4)
        #expect(script.take(2).count == 2)
        script.respond(rows[0].id, .accepted(providerID: nil))
        script.respond(rows[1].id, .misconfigured, status: 403)
        script.now = script.now.adding(seconds: 30)
        let probe = try #require(script.take().first)
        script.respond(probe.delivery, .rejected(token: .quarantine), status: 400)
        let next = try #require(script.take().first)
        #expect(next.delivery != probe.delivery)
        script.respond(next.delivery, .accepted(providerID: nil))
        #expect(script.machine.lanes[Self.lane]?.breaker == .closed)
    }

    @Test("the first accepted push removes the mark, which is stored with its outcome")
    func confirmed() throws {
        var (script, rows) = try imported(1...2)
        #expect(script.take().count == 2)
        script.respond(rows[0].id, .accepted(providerID: nil))
        script.respond(rows[1].id, .retry(afterSeconds: nil, scope: .device), status: 503)
        let outcomes = script.turn().outcomes
        #expect(outcomes.first { $0.delivery == rows[0].id }?.token == .confirm(token: "token-1"))
        #expect(outcomes.first { $0.delivery == rows[1].id }?.token == OutcomeRecord.TokenEffect.none)
    }

    @Test("those that an earlier process stopped do not suspend its lane at the next start")
    func start() {
        let counts = [StoppedCount(at: Timestamp(milliseconds: 1_700_000_000_000), count: 90, imported: 60)]
        let start = StoppedAtStart(counts: counts, devices: 1000)
        let known = InvalidationGuard(start, now: Timestamp(milliseconds: 1_700_000_010_000), InvalidationSettings())
        #expect(known.phase == .believing && !known.isIdle)
    }
}
