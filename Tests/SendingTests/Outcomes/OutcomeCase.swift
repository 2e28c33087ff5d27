import GatewayModel
import GatewayStorage
import Logging
import PushSimulator
import TestSupport
import Testing

/// Runs one row: the second push to a device gets the row's response, others on its lane and elsewhere follow.
struct OutcomeCase {
    static let openBreakers = "switchboard_delivery_open_breaker_lanes"
    static let stoppedPlatforms = "switchboard_delivery_stopped_platforms"

    let row: OutcomeRow
    let fixture: SendingFixture
    let refused: Device
    let neighbour: Device
    let elsewhere: Device

    init(_ row: OutcomeRow, _ fixture: SendingFixture) {
        self.row = row
        self.fixture = fixture
        var refused = Device.of(row.provider, "refused", token: "bad0")
        if row.lane == .platformStopped { refused.platform = .ios }
        self.refused = refused
        neighbour = .of(row.provider, "neighbour", token: "900d")
        elsewhere = .of(row.provider == .apns ? .fcm : .apns, "elsewhere", token: "e15e")
    }

    func play() async throws {
        let provider: SimulatedProvider = row.provider == .apns ? .apns : .fcm
        fixture.simulator.setRules([
            SimulatorRule(match: .init(provider: provider, tokenPrefix: "bad0", everyNth: 2), action: row.action)
        ])
        for device in [refused, neighbour, elsewhere] { try await fixture.register(device) }
        let registration = try #require(try await fixture.registration(of: refused)).id
        try await fixture.post(to: [refused])
        #expect(
            try await fixture.outcomes(of: registration, count: 1).map(\.disposition) == [.finished(.accepted, nil)]
        )
        // Past the 20 minutes in which a token may not be replaced, and before a new connection would take a newer one.
        try await fixture.advance(seconds: 22 * 60)

        let moment = fixture.clock.now
        try await fixture.post(to: [refused])
        let record = try await fixture.outcomes(of: registration, count: 2)[1]
        #expect(record.response?.status == row.status)
        #expect(record.response?.reason == row.reason)
        try await checkDevice(record)
        checkDelivery(record, at: moment)
        if row.lane.callsOperator {
            await fixture.logs.wait { $0.contains(where: isCall) }
        } else {
            #expect(!fixture.logs.all.contains(where: isCall))
        }
        #expect(
            fixture.metric(Self.openBreakers + "{provider=\"\(row.provider.rawValue)\"}")
                == (row.lane == .stopped ? 1 : 0)
        )
        let platforms = fixture.metric(Self.stoppedPlatforms + "{provider=\"\(row.provider.rawValue)\"}")
        #expect(platforms == (row.lane == .platformStopped ? 1 : 0))

        try await fixture.post(to: [neighbour, elsewhere])
        let other = try await fixture.outcomes(of: elsewhere, count: 1)
        #expect(other.map(\.disposition) == [.finished(.accepted, nil)])
        #expect(other[0].response?.sentAt == moment)
        try await finish(registration, from: moment)
        try await checkLog()
        try await checkWire()
    }

    /// Whether there is an alarm for the lane of the rejected device.
    private func isCall(_ line: LogLines.Line) -> Bool {
        line.level == .error && line.metadata["lane.name"]?.contains("/\(refused.app)/") == true
    }

    private func checkDevice(_ record: OutcomeRecord) async throws {
        let stored = try await fixture.registration(of: refused)
        switch row.device {
        case .kept:
            #expect(record.token == .none)
            #expect(stored?.state == .active)
        case .quarantined:
            #expect(record.token == .quarantine(token: refused.token))
            #expect(stored?.state == .quarantined)
        case .dropped:
            #expect(stored == nil)
        }
    }

    private func checkDelivery(_ record: OutcomeRecord, at moment: Timestamp) {
        switch row.delivery {
        case .accepted: #expect(record.disposition == .finished(.accepted, nil))
        case .failed: #expect(record.disposition == .finished(.failed, nil))
        case .again(let wait):
            guard case .retry(let due) = record.disposition else {
                Issue.record("not tried again: \(record.disposition)")
                return
            }
            #expect(wait.range.contains(due.milliseconds - moment.milliseconds))
        }
    }

    /// Advances the clock by the row's time, and checks which pushes were sent when.
    private func finish(_ registration: RegistrationID, from moment: Timestamp) async throws {
        var wait: Int64 = 0
        if case .again(let time) = row.delivery { wait = time.range.upperBound / 1000 }
        if row.lane.isOpen {
            let records = try await fixture.outcomes(of: neighbour, count: 1)
            #expect(records.map(\.disposition) == [.finished(.accepted, nil)])
            #expect(records[0].response?.sentAt == moment)
        } else {
            #expect(fixture.pushes(to: neighbour).isEmpty)
        }
        if wait > 0 { try await fixture.advance(seconds: wait) }
        if !row.lane.isOpen {
            let records = try await fixture.outcomes(of: neighbour, count: 1)
            #expect(records.map(\.disposition) == [.finished(.accepted, nil)])
            #expect(records[0].response?.sentAt == moment.adding(seconds: wait))
        }
        if case .again = row.delivery {
            let record = try await fixture.outcomes(of: registration, count: 3)[2]
            #expect(record.disposition == .finished(.accepted, nil))
            #expect(record.response?.sentAt == moment.adding(seconds: wait))
        }
        for metric in [Self.openBreakers, Self.stoppedPlatforms] {
            #expect(fixture.metric(metric + "{provider=\"\(row.provider.rawValue)\"}") == 0)
        }
    }

    private func checkLog() async throws {
        let log = try await fixture.deliveries(to: refused)
        #expect(log.map(\.state) == [.accepted, row.delivery == .failed ? .failed : .accepted])
        #expect(log.map(\.attempts) == [1, fixture.pushes(to: refused).count - 1])
        // Unregistered or quarantined devices get no more pushes.
        try await fixture.post(to: [refused])
        #expect(try await fixture.deliveries(to: refused).count == (row.device == .kept ? 3 : 2))
    }

    private func checkWire() async throws {
        let own = fixture.pushes(to: refused)
        let after = fixture.pushes(to: neighbour)
        try #require(own.count >= 2 && after.count == 1)
        #expect(own[0].connection == own[1].connection)
        #expect(Set(after.map(\.connection) + own.dropFirst(2).map(\.connection)).count == 1)
        switch row.connection {
        case .kept: #expect(after[0].connection == own[0].connection)
        case .replaced: #expect(after[0].connection != own[0].connection)
        }
        #expect(own[0].header("authorization") == own[1].header("authorization"))
        switch row.credential {
        case .kept: #expect(after[0].header("authorization") == own[0].header("authorization"))
        case .renewed: #expect(after[0].header("authorization") != own[0].header("authorization"))
        }
        let grants = fixture.simulator.statistics.requests(to: .oauth)
        #expect(grants == (row.provider == .fcm && row.credential == .renewed ? 2 : 1))
    }
}
