import GatewayModel
import GatewayStorage
import TestSupport
import Testing

@testable import Identity

@Suite("Consumers' sessions", .timeLimit(.minutes(10)))
struct SessionServiceTests {
    private static let ann = ConsumerID(trusted: "ann")
    private static let bob = ConsumerID(trusted: "bob")
    private static let phone = DeviceID(trusted: "phone")
    private static let tablet = DeviceID(trusted: "tablet")

    private static let expired = SessionError.refused(.tokenExpired)
    private static let unknown = SessionError.refused(.tokenInvalid(.revoked))

    private static func with(
        cacheLimit: Int = 1000,
        _ body: (Gateway, PausingStore, SessionService) async throws -> Void
    ) async throws {
        try await Gateway.with { gateway in
            let store = PausingStore(gateway.store)
            let service = SessionService(
                store: store,
                directory: gateway.directory,
                writer: gateway.writer,
                clock: gateway.clock,
                cacheLimit: cacheLimit
            )
            try await body(gateway, store, service)
        }
    }

    private static func open(
        _ service: SessionService,
        brand: BrandID = Gateway.acme,
        _ consumer: ConsumerID = ann,
        _ device: DeviceID? = phone
    ) async throws(SessionError) -> MintedSession {
        try await service.open(brand: brand, consumer: consumer, device: device)
    }

    @Test("an opened session is found, first in the store and then in the cache, and only its hash is stored")
    func openAndFind() async throws {
        try await Self.with { gateway, store, service in
            let minted = try await Self.open(service)
            #expect(minted.token.hasPrefix("sbs_") && minted.token.utf8.count == 63)
            #expect(minted.expiresInSeconds == 3600)
            #expect(minted.session.expiresAt == gateway.clock.now.adding(seconds: 3600))
            #expect(minted.session.tokenHash == SecretHash.sha256(minted.token.utf8))
            for brand in [Gateway.acme, nil] {
                #expect(try await service.authenticate(token: minted.token, brand: brand) == minted.session)
            }
            #expect(store.lookUps == 1)
            #expect(try await gateway.store.consumer(brand: Gateway.acme, id: Self.ann) != nil)
            #expect(try await Self.open(service).token != minted.token)
        }
    }

    @Test("a session of an unknown brand is not opened")
    func unknownBrand() async throws {
        try await Self.with { _, _, service in
            await #expect(throws: SessionError.unknownBrand) {
                try await Self.open(service, brand: BrandID(trusted: "nobody"))
            }
        }
    }

    @Test("another brand's session is rejected like an unknown one")
    func otherBrand() async throws {
        try await Self.with { _, _, service in
            let minted = try await Self.open(service)
            for _ in 0..<2 {
                await #expect(throws: Self.unknown) {
                    try await service.authenticate(token: minted.token, brand: Gateway.other)
                }
            }
            #expect(try await service.authenticate(token: minted.token, brand: Gateway.acme) == minted.session)
        }
    }

    @Test("expired and unknown are distinguished, in the cache and in the store (R54)")
    func expiry() async throws {
        try await Self.with { gateway, store, service in
            let cached = try await Self.open(service).token
            let stored = try await Self.open(service).token
            gateway.clock.advance(seconds: 3599)
            _ = try await service.authenticate(token: cached, brand: nil)
            gateway.clock.advance(seconds: 1)
            for token in [cached, stored] {
                await #expect(throws: Self.expired) { try await service.authenticate(token: token, brand: nil) }
            }
            // The one read after its expiry was not cached.
            #expect(store.lookUps == 2)
            await #expect(throws: Self.unknown) {
                try await service.authenticate(token: "sbs_" + String(repeating: "A", count: 59), brand: nil)
            }
        }
    }

    @Test(
        "a text that is not a session token is rejected without a lookup in the store",
        arguments: [
            "", "sbs_", "sbs_abc", String(repeating: "a", count: 63), "SBS_" + String(repeating: "A", count: 59),
        ]
    )
    func malformed(token: String) async throws {
        try await Self.with { _, store, service in
            let malformed = SessionError.refused(.tokenInvalid(.malformed))
            await #expect(throws: malformed) { try await service.authenticate(token: token, brand: nil) }
            await #expect(throws: malformed) { try await service.end(token: token, unregister: .all) }
            #expect(store.lookUps == 0)
        }
    }

    @Test("a session that expired long ago is expired though its row is deleted; a foreign token is invalid")
    func longAgo() async throws {
        try await Self.with { gateway, store, service in
            let token = try await Self.open(service).token
            gateway.clock.advance(seconds: 3 * 86_400)
            let batch = HousekeepingBatch(work: .sessions, now: gateway.clock.now, limit: 100)
            #expect(try await gateway.store.runHousekeeping(batch).removed == 1)
            #expect(try await gateway.store.session(tokenHash: SecretHash.sha256(token.utf8)) == nil)
            await #expect(throws: SessionError.refused(.tokenExpired)) {
                try await service.authenticate(token: token, brand: Gateway.acme)
            }
            // No other character is accepted.
            let last = try #require(token.last)
            let forged = token.dropLast() + (last == "A" ? "E" : "A")
            let earlier = token.prefix(46) + "AAAAAA" + token.dropFirst(52)
            for text in [String(forged), String(earlier), "sbs_" + String(repeating: "A", count: 59)] {
                await #expect(throws: Self.unknown) {
                    try await service.authenticate(token: text, brand: Gateway.acme)
                }
            }
        }
    }

    @Test("the brand's lifetime applies to sessions that are opened from then on")
    func lifetime() async throws {
        try await Self.with { gateway, _, service in
            var settings = BrandSettings()
            settings.sessionTtlSeconds = 60
            _ = try await gateway.directory.updateBrand(Gateway.acme) { brand throws(DirectoryError) in
                brand.settings = settings
            }
            let minted = try await Self.open(service)
            #expect(minted.expiresInSeconds == 60)
            gateway.clock.advance(seconds: 60)
            await #expect(throws: Self.expired) { try await service.authenticate(token: minted.token, brand: nil) }
        }
    }

    @Test("an ended session is unknown, whether it was cached or not", arguments: [true, false])
    func end(isCached: Bool) async throws {
        try await Self.with { _, _, service in
            let minted = try await Self.open(service)
            let other = try await Self.open(service)
            if isCached { _ = try await service.authenticate(token: minted.token, brand: nil) }
            #expect(try await service.end(token: minted.token, unregister: .all).count == 1)
            await #expect(throws: Self.unknown) { try await service.authenticate(token: minted.token, brand: nil) }
            #expect(try await service.end(token: minted.token, unregister: .all).count == 0)
            #expect(try await service.authenticate(token: other.token, brand: nil) == other.session)
        }
    }

    @Test(
        "remote logout ends the device's sessions and those without a device, and no others",
        arguments: [true, false]
    )
    func endAll(isCached: Bool) async throws {
        try await Self.with { _, _, service in
            let onPhone = try await Self.open(service).token
            let onTablet = try await Self.open(service, Self.ann, Self.tablet).token
            let anywhere = try await Self.open(service, Self.ann, nil).token
            let bobs = try await Self.open(service, Self.bob, Self.phone).token
            let elsewhere = try await Self.open(service, brand: Gateway.other, Self.ann, Self.phone).token
            func live() async throws -> [Bool] {
                var live: [Bool] = []
                for token in [onPhone, onTablet, anywhere, bobs, elsewhere] {
                    live.append((try? await service.authenticate(token: token, brand: nil)) != nil)
                }
                return live
            }
            if isCached { #expect(try await live() == [true, true, true, true, true]) }
            let ended = try await service.endAll(
                brand: Gateway.acme,
                consumer: Self.ann,
                device: Self.phone,
                unregister: .none
            )
            #expect(ended.count == 2)
            #expect(try await live() == [false, true, false, true, true])
            let all = try await service.endAll(brand: Gateway.acme, consumer: Self.ann, device: nil, unregister: .none)
            #expect(all.count == 1)
            #expect(try await live() == [false, false, false, true, true])
            let none = try await service.endAll(
                brand: Gateway.acme,
                consumer: ConsumerID(trusted: "nobody"),
                device: nil,
                unregister: .all
            )
            #expect(none.count == 0)
        }
    }

    @Test("logout ends the device's registrations according to its scope", arguments: UnregisterScope.allCases)
    func unregister(scope: UnregisterScope) async throws {
        try await Self.with { gateway, _, service in
            let app = AppID(trusted: "ios")
            let settings = AppSettings(platform: .ios, apns: Gateway.apns)
            _ = try await gateway.directory.putApp(brand: Gateway.acme, app: app, settings: settings)
            for device in [Self.phone, Self.tablet] {
                let registration = DeviceToRegister(
                    brand: Gateway.acme,
                    app: app,
                    device: device,
                    consumer: Self.ann,
                    token: "token of \(device)",
                    pushType: .apns,
                    environment: .production,
                    platform: .ios,
                    receives: .all
                )
                _ = try await gateway.writer.perform(.register(registration))
            }
            let token = try await Self.open(service).token
            let ended = try await service.end(token: token, unregister: scope)
            let left = try await gateway.store.registrations(brand: Gateway.acme, consumer: Self.ann)
            let untouched = left.first { $0.device == Self.tablet }
            let kept = left.first { $0.device == Self.phone }
            #expect(untouched?.receives == Receives.all)
            switch scope {
            case .all:
                #expect(kept == nil)
                #expect(ended.registrations.ended.count == 1)
            case .agent:
                #expect(kept?.receives == Receives.all.subtracting(.agent))
                #expect(ended.registrations.narrowed == [kept?.id])
            case .none:
                #expect(kept?.receives == Receives.all)
                #expect(ended.registrations == RegistrationsChange())
            }
        }
    }

    @Test("a deleted brand's sessions have ended, also when a brand with its id is created again")
    func deletedBrand() async throws {
        try await Self.with { gateway, _, service in
            let token = try await Self.open(service).token
            let other = try await Self.open(service, brand: Gateway.other).token
            _ = try await service.authenticate(token: token, brand: nil)
            let brand = try #require(gateway.directory.brand(Gateway.acme))
            try await gateway.directory.deleteBrand(Gateway.acme)
            await #expect(throws: Self.unknown) { try await service.authenticate(token: token, brand: nil) }
            try await gateway.directory.createBrand(brand)
            await #expect(throws: Self.unknown) { try await service.authenticate(token: token, brand: nil) }
            #expect(try await service.authenticate(token: other, brand: nil).brand == Gateway.other)
        }
    }

    // MARK: The cache

    @Test("the cache holds no more sessions than its limit, and expired ones are evicted first")
    func cacheBound() async throws {
        try await Self.with(cacheLimit: 8) { gateway, store, service in
            var tokens: [String] = []
            for _ in 0..<40 {
                tokens.append(try await Self.open(service).token)
                _ = try await service.authenticate(token: tokens[tokens.count - 1], brand: nil)
                #expect(service.cachedSessions <= 8)
            }
            #expect(service.cachedSessions >= 6)
            for token in tokens { _ = try await service.authenticate(token: token, brand: nil) }
            #expect(service.cachedSessions <= 8)

            // As many live sessions as the limit evict the expired ones and none of their own.
            gateway.clock.advance(seconds: 3600)
            var fresh: [String] = []
            for _ in 0..<8 {
                fresh.append(try await Self.open(service).token)
                _ = try await service.authenticate(token: fresh[fresh.count - 1], brand: nil)
            }
            let before = store.lookUps
            for token in fresh { _ = try await service.authenticate(token: token, brand: nil) }
            #expect(store.lookUps == before)
        }
    }

    @Test("a session end with an unknown result in the store still applies to the cache")
    func uncertainEnd() async throws {
        try await Self.with { gateway, store, service in
            let uncertain = SessionService(
                store: store,
                directory: gateway.directory,
                writer: UncertainWriter(real: gateway.writer),
                clock: gateway.clock
            )
            let failure = SessionError.storage(.unavailable(detail: "no response"))
            let first = try await Self.open(service).token
            _ = try await uncertain.authenticate(token: first, brand: nil)
            await #expect(throws: failure) { try await uncertain.end(token: first, unregister: .none) }
            await #expect(throws: Self.unknown) { try await uncertain.authenticate(token: first, brand: nil) }
            let second = try await Self.open(service).token
            _ = try await uncertain.authenticate(token: second, brand: nil)
            await #expect(throws: failure) {
                try await uncertain.endAll(brand: Gateway.acme, consumer: Self.ann, device: nil, unregister: .none)
            }
            await #expect(throws: Self.unknown) { try await uncertain.authenticate(token: second, brand: nil) }
        }
    }

    @Test("an error of the store is not a rejected token")
    func storageFailure() async throws {
        try await Self.with { gateway, _, service in
            let token = try await Self.open(service).token
            await gateway.store.close()
            await #expect(throws: SessionError.storage(.closed)) {
                try await service.authenticate(token: token, brand: nil)
            }
            await #expect(throws: SessionError.storage(.closed)) { try await Self.open(service) }
        }
    }
}
