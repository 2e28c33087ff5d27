import GatewayModel
import GatewayStorage
import Logging
import PushSimulator
import Testing

@Suite("Access tokens of FCM with a provider that counts them", .timeLimit(.minutes(10)))
struct AccessTokenTests {
    /// Devices of two apps with one service account.
    private static let devices = (0..<40).map { number in
        Device.android("phone\(number)", token: "a0\(number + 10)", app: number.isMultiple(of: 2) ? "one" : "two")
    }

    private static func apps(_ simulator: PushSimulator) throws -> [String: AppSettings] {
        ["one": Apps.android(simulator), "two": Apps.android(simulator)]
    }

    private static func grants(_ site: SendingSite) -> Int {
        site.simulator.statistics.requests(to: .oauth)
    }

    /// One push on each lane, so that both have a connection and share a token.
    private func begin(_ site: SendingSite) async throws {
        for device in Self.devices { try await site.register(device) }
        try await site.post(to: Array(Self.devices.prefix(2)))
        await site.store.outcomes.wait { $0.count { $0.answer?.status == 200 } == 2 }
        #expect(Self.grants(site) == 1)
    }

    @Test("many pushes in flight with a token that Google rejects: one new token, and each is sent once more")
    func expired() async throws {
        try await SendingSite.run(apps: Self.apps) { site in
            try await begin(site)
            try await site.advance(seconds: 24 * 60)
            site.providerClock.setAhead(seconds: 37 * 60)
            try await site.post(to: Self.devices)
            await site.store.outcomes.wait { $0.count { $0.answer?.status == 200 } == 42 }
            #expect(Self.grants(site) == 2)
            #expect(Set(site.simulator.pushes.map { $0.header("authorization") }).count == 2)
            #expect(site.simulator.statistics.count(.refused) >= 2)
            for device in Self.devices {
                #expect(site.pushes(to: device).count { $0.status == 401 } <= 1)
                #expect(try await site.deliveries(to: device).allSatisfy { $0.state == .accepted })
            }
            #expect(site.logs.all.allSatisfy { $0.level < .error })
        }
    }

    @Test("when the new token is rejected too, no third is fetched, and the lanes stop")
    func refusedAgain() async throws {
        try await SendingSite.run(apps: Self.apps) { site in
            try await begin(site)
            site.simulator.setRules([
                SimulatorRule(match: .init(provider: .fcm), action: RuleAction(status: 401, reason: "UNAUTHENTICATED"))
            ])
            try await site.post(to: Self.devices)
            await site.logs.wait { $0.count { $0.level == .error } == 2 }
            #expect(Self.grants(site) == 2)
            for device in Self.devices { #expect(site.pushes(to: device).count { $0.status == 401 } <= 2) }
            site.simulator.setRules([])
            try await site.advance(seconds: 30)
            await site.store.outcomes.wait { $0.count { $0.answer?.status == 200 } == 42 }
            #expect(Self.grants(site) == 2)
        }
    }

    @Test("while the token endpoint is down the old token is used; without one, pushes wait and none is lost")
    func endpointDown() async throws {
        try await SendingSite.run(apps: Self.apps) { site in
            try await begin(site)
            let device = Self.devices[0]
            let down = SimulatorRule(match: .init(provider: .oauth), action: RuleAction(status: 503))
            site.simulator.setRules([down])
            // Due for renewal, and still valid.
            try await site.advance(seconds: 3400)
            try await site.post(to: [device])
            let second = try await site.outcomes(of: device, count: 2)[1]
            #expect(second.disposition == .finished(.accepted, nil))
            #expect(Set(site.pushes(to: device).map { $0.header("authorization") }).count == 1)
            // Expired: nothing may be sent with it.
            try await site.advance(seconds: 300)
            let before = site.simulator.statistics.requests(to: .oauth)
            try await site.post(to: Self.devices)
            while site.simulator.statistics.requests(to: .oauth) < before + 3 { await Task.yield() }
            #expect(site.simulator.statistics.requests(to: .fcm) == 3)
            site.simulator.setRules([])
            await site.store.outcomes.wait { $0.count { $0.answer?.status == 200 } == 43 }
            #expect(site.simulator.statistics.requests(to: .fcm) == 43)
            #expect(site.simulator.statistics.count(.accepted, of: .oauth) == 2)
        }
    }
}
