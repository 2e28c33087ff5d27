import GatewayModel
import GatewayStorage
import Logging
import PushSimulator
import Testing

@Suite("Provider tokens of APNs with a provider that counts them", .timeLimit(.minutes(10)))
struct ProviderTokenTests {
    /// Devices of one app on two lanes of one key: production and sandbox.
    private static let devices = (0..<40).map { number in
        var device = Device.ios("phone\(number)", token: "a0\(number + 10)")
        device.environment = number.isMultiple(of: 2) ? .production : .sandbox
        return device
    }

    private static func authorizations(_ fixture: SendingFixture) -> Set<String?> {
        Set(fixture.simulator.pushes.map { $0.header("authorization") })
    }

    /// One push on each lane, so that both have a connection and share a token.
    private func begin(_ fixture: SendingFixture) async throws {
        for device in Self.devices { try await fixture.register(device) }
        try await fixture.post(to: Array(Self.devices.prefix(2)))
        await fixture.store.outcomes.wait { $0.count { $0.response?.status == 200 } == 2 }
        #expect(Self.authorizations(fixture).count == 1)
    }

    @Test("many pushes in flight with an expired token: one new token, and each is sent once more")
    func expired() async throws {
        try await SendingFixture.run { fixture in
            try await begin(fixture)
            try await fixture.advance(seconds: 24 * 60)
            fixture.providerClock.setAhead(seconds: 37 * 60)
            try await fixture.post(to: Self.devices)
            await fixture.store.outcomes.wait { $0.count { $0.response?.status == 200 } == 42 }
            #expect(Self.authorizations(fixture).count == 2)
            let statistics = fixture.simulator.statistics
            #expect(statistics.accepted(by: .apns) == 42)
            #expect(statistics.count(.refused) <= 40 && statistics.count(.refused) >= 2)
            for device in Self.devices {
                // At most: a push sent after the others' failure already used the new token.
                let tries = fixture.pushes(to: device).suffix(2).map(\.status)
                #expect(tries.last == 200)
                #expect(fixture.pushes(to: device).count { $0.status == 403 } <= 1)
                #expect(try await fixture.deliveries(to: device).allSatisfy { $0.state == .accepted })
            }
            #expect(fixture.logs.all.allSatisfy { $0.level < .error })
        }
    }

    @Test("when the new token is reported as expired too, no third is signed, and the lanes stop")
    func expiredAgain() async throws {
        try await SendingFixture.run { fixture in
            try await begin(fixture)
            try await fixture.advance(seconds: 24 * 60)
            // Our clock is two hours behind: every token that we sign is too old.
            fixture.providerClock.setAhead(seconds: 7200)
            try await fixture.post(to: Self.devices)
            // All pushes of the first wave have responses, and each lane's breaker is open.
            await fixture.logs.wait { $0.count { $0.level == .error } == 2 }
            let rejections = fixture.logs.all.filter { $0.level == .error }
            #expect(rejections.allSatisfy { $0.metadata["provider.reason"] == "ExpiredProviderToken" })
            #expect(Self.authorizations(fixture).count == 2)
            for device in Self.devices { #expect(fixture.pushes(to: device).count { $0.status == 403 } <= 2) }
            // With the right time, it continues with its token.
            fixture.providerClock.setAhead(seconds: 0)
            try await fixture.advance(seconds: 30)
            await fixture.store.outcomes.wait { $0.count { $0.response?.status == 200 } == 42 }
            #expect(Self.authorizations(fixture).count == 2)
        }
    }

    @Test("after a token that came too early, a connection returns to the old one, and nothing is signed")
    func tooManyUpdates() async throws {
        try await SendingFixture.run { fixture in
            let device = Self.devices[0]
            try await fixture.register(device)
            try await fixture.post(to: [device])
            _ = try await fixture.outcomes(of: device, count: 1)
            // Apple's clock is slow: there the token was in use for only 15 minutes.
            fixture.providerClock.setAhead(seconds: -35 * 60)
            try await fixture.advance(seconds: 50 * 60)
            try await fixture.post(to: [device])
            _ = try await fixture.outcomes(of: device, count: 2)
            try await fixture.advance(seconds: 6)
            _ = try await fixture.outcomes(of: device, count: 3)
            let used = fixture.pushes(to: device).map { $0.header("authorization") }
            #expect(fixture.pushes(to: device).map(\.status) == [200, 429, 200])
            #expect(used[0] == used[2])
            #expect(used[0] != used[1])
            #expect(Set(fixture.pushes(to: device).map(\.connection)).count == 1)
        }
    }

    @Test("three hours of four connections with different starts: no token comes too early or gets too old")
    func threeHours() async throws {
        let apps: (PushSimulator) throws -> [String: AppSettings] = { simulator in
            ["one": Apps.ios(simulator), "two": Apps.ios(simulator)]
        }
        try await SendingFixture.run(apps: apps) { fixture in
            var devices = ["one", "two", "one", "two"].enumerated().map { number, app in
                Device.ios("phone\(number)", token: "a0\(number + 10)", app: app)
            }
            devices[2].environment = .sandbox
            devices[3].environment = .sandbox
            for device in devices { try await fixture.register(device) }
            let begins: [Int64] = [0, 4, 31, 49]
            var sent = 0
            for minute in Int64(0)..<180 {
                let due = zip(devices, begins).filter { minute >= $0.1 && (minute - $0.1).isMultiple(of: 3) }
                try await fixture.post(to: due.map(\.0))
                sent += due.count
                let expected = sent
                await fixture.store.outcomes.wait { $0.count { $0.response != nil } == expected }
                try await fixture.advance(seconds: 60)
            }
            let pushes = fixture.simulator.pushes
            #expect(pushes.count == sent)
            #expect(pushes.allSatisfy { $0.status == 200 })
            #expect(Set(pushes.map(\.connection)).count == 4)
            // Each connection changes every 50 minutes at the earliest, none faster than every 25.
            for connection in Set(pushes.map(\.connection)) {
                let tokens = Set(pushes.filter { $0.connection == connection }.map { $0.header("authorization") })
                #expect((3...7).contains(tokens.count))
            }
            #expect(Self.authorizations(fixture).count <= 8)
        }
    }
}
