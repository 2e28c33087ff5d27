import GatewayModel
import GatewayStorage
import TestSupport
import Testing

@testable import Identity

@Suite("The end of sessions", .timeLimit(.minutes(10)))
struct SessionRevocationTests {
    private static let ann = ConsumerID(trusted: "ann")
    private static let bob = ConsumerID(trusted: "bob")
    private static let guest = ConsumerID(trusted: "guest")
    private static let phone = DeviceID(trusted: "phone")
    private static let unknown = SessionError.refused(.tokenInvalid(.revoked))

    private static func with(
        singleDevice: Bool = false,
        _ body: (Gateway, PausingStore, SessionService) async throws -> Void
    ) async throws {
        try await Gateway.with(anonymousConsumers: true) { gateway in
            if singleDevice {
                _ = try await gateway.directory.updateBrand(Gateway.acme) { brand throws(DirectoryError) in
                    brand.settings.singleDevice = true
                }
            }
            let store = PausingStore(gateway.store)
            let service = SessionService(
                store: store,
                directory: gateway.directory,
                writer: gateway.writer,
                clock: gateway.clock
            )
            try await body(gateway, store, service)
        }
    }

    private static func isLive(_ service: SessionService, _ token: String) async throws -> Bool {
        do {
            _ = try await service.authenticate(token: token, brand: nil)
            return true
        } catch {
            try #require(error == unknown)
            return false
        }
    }

    /// Opens a session of a consumer without an identifier.
    private static func openAnonymous(_ gateway: Gateway, _ service: SessionService) async throws -> MintedSession {
        _ = try await gateway.writer.perform(
            .upsertConsumer(brand: Gateway.acme, id: guest, anonymous: true, profile: ConsumerProfile())
        )
        return try await service.open(brand: Gateway.acme, consumer: guest, device: phone)
    }

    /// The event that ends a session.
    enum Ending: CaseIterable {
        case logout, ofDevice, ofConsumer, brandDeletion, credentialRevocation, merge, otherDevice, anotherSession
        case erasure, mergeByBackEnd, tooMany
    }

    private static func perform(
        _ ending: Ending,
        _ gateway: Gateway,
        _ service: SessionService,
        token: String,
        credential: String,
        other: String
    ) async throws {
        let acme = Gateway.acme
        switch ending {
        case .logout: _ = try await service.end(token: token, unregister: .none)
        case .ofDevice: _ = try await service.endAll(brand: acme, consumer: guest, device: phone, unregister: .none)
        case .ofConsumer: _ = try await service.endAll(brand: acme, consumer: guest, device: nil, unregister: .none)
        case .brandDeletion: try await gateway.directory.deleteBrand(acme)
        case .credentialRevocation: try await gateway.directory.revokeCredential(brand: acme, id: credential)
        case .merge:
            let proofs = LoginProofs(anonymousToken: token)
            _ = try await service.open(brand: acme, consumer: ann, device: phone, proofs: proofs)
        case .otherDevice:
            _ = try await service.open(brand: acme, consumer: guest, device: DeviceID(trusted: "tablet"))
        case .erasure:
            _ = try await gateway.writer.perform(.erase(ErasureRequest(brand: acme, consumer: guest, audit: nil)))
        case .mergeByBackEnd:
            _ = try await service.merge(MergeRequest(brand: acme, consumer: bob, from: guest))
        case .tooMany:
            for _ in 0..<SessionLimits.perConsumer {
                gateway.clock.advance(seconds: 1)
                _ = try await service.open(brand: acme, consumer: guest, device: phone)
            }
        case .anotherSession: _ = try await service.end(token: other, unregister: .none)
        }
    }

    @Test("a lookup that began before a revocation does not bring the session back", arguments: Ending.allCases)
    func generation(ending: Ending) async throws {
        try await Self.with(singleDevice: ending == .otherDevice) { gateway, store, service in
            let credential = try await gateway.sdkKey("key").summary.id
            _ = try await Self.openAnonymous(gateway, service)
            let token = try await service.open(
                brand: Gateway.acme,
                consumer: Self.guest,
                device: Self.phone,
                credential: credential
            ).token
            let other = try await service.open(brand: Gateway.acme, consumer: Self.bob, device: nil).token
            store.pause()
            async let response = service.authenticate(token: token, brand: nil)
            await store.waitUntilHeld()
            // The row has been read, and now the session ends.
            try await Self.perform(ending, gateway, service, token: token, credential: credential, other: other)
            store.resume()
            // The lookup ran concurrently with the revocation; either result is right. A later one must fail.
            _ = try? await response
            #expect(service.cachedSessions == 0)
            #expect(try await Self.isLive(service, token) == (ending == .anotherSession))
        }
    }

    @Test("cached sessions end like all others", arguments: Ending.allCases)
    func cached(ending: Ending) async throws {
        try await Self.with(singleDevice: ending == .otherDevice) { gateway, _, service in
            let credential = try await gateway.sdkKey("key").summary.id
            _ = try await Self.openAnonymous(gateway, service)
            let token = try await service.open(
                brand: Gateway.acme,
                consumer: Self.guest,
                device: Self.phone,
                credential: credential
            ).token
            let other = try await service.open(brand: Gateway.acme, consumer: Self.bob, device: nil).token
            for token in [token, other] { #expect(try await Self.isLive(service, token)) }
            try await Self.perform(ending, gateway, service, token: token, credential: credential, other: other)
            #expect(try await Self.isLive(service, token) == (ending == .anotherSession))
            let isOtherGone = ending == .anotherSession || ending == .brandDeletion
            #expect(try await Self.isLive(service, other) == !isOtherGone)
        }
    }

    @Test("of two active keys the revoked one ends its own sessions, and opens none")
    func rotation() async throws {
        try await Self.with { gateway, _, service in
            var keys: [String] = []
            var tokens: [String] = []
            for name in ["old", "new"] {
                let key = try await gateway.sdkKey(name).summary.id
                keys.append(key)
                for device in [Self.phone, nil] {
                    tokens.append(
                        try await service.open(
                            brand: Gateway.acme,
                            consumer: Self.ann,
                            device: device,
                            credential: key
                        ).token
                    )
                }
            }
            func live() async throws -> [Bool] {
                var live: [Bool] = []
                for token in tokens { live.append(try await Self.isLive(service, token)) }
                return live
            }
            #expect(try await live() == [true, true, true, true])
            try await gateway.directory.revokeCredential(brand: Gateway.acme, id: keys[0])
            #expect(try await live() == [false, false, true, true])
            await #expect(throws: Self.unknown) {
                try await service.open(brand: Gateway.acme, consumer: Self.ann, device: nil, credential: keys[0])
            }
            let old = try await gateway.store.session(tokenHash: SecretHash.sha256(tokens[0].utf8))
            #expect(old == nil)
        }
    }

    @Test("a key that expires ends no session")
    func expiry() async throws {
        try await Self.with { gateway, _, service in
            let until = gateway.clock.now.adding(seconds: 10)
            let key = try await gateway.sdkKey("key", expiresAt: until).summary.id
            let token = try await service.open(
                brand: Gateway.acme,
                consumer: Self.ann,
                device: nil,
                credential: key
            ).token
            gateway.clock.advance(seconds: 60)
            #expect(try await Self.isLive(service, token))
        }
    }

    @Test("a login with an identifier ends the sessions of the anonymous consumer that it merges")
    func merge() async throws {
        try await Self.with { gateway, _, service in
            let anonymous = try await Self.openAnonymous(gateway, service)
            let elsewhere = try await service.open(brand: Gateway.acme, consumer: Self.guest, device: nil)
            #expect(anonymous.anonymous)
            for minted in [anonymous, elsewhere] { #expect(try await Self.isLive(service, minted.token)) }
            // The device's id alone has no effect, nor has a token of any other session.
            let known = try await service.open(brand: Gateway.acme, consumer: Self.ann, device: Self.phone)
            for text in ["", "x", known.token] {
                let minted = try await service.open(
                    brand: Gateway.acme,
                    consumer: Self.ann,
                    device: Self.phone,
                    proofs: LoginProofs(anonymousToken: text)
                )
                #expect(!minted.merged && minted.session.consumer == Self.ann)
            }
            for minted in [anonymous, elsewhere] { #expect(try await Self.isLive(service, minted.token)) }
            let minted = try await service.open(
                brand: Gateway.acme,
                consumer: Self.ann,
                device: Self.phone,
                proofs: LoginProofs(anonymousToken: elsewhere.token)
            )
            #expect(minted.session.consumer == Self.ann && !minted.anonymous && minted.merged)
            for ended in [anonymous, elsewhere] { #expect(try await !Self.isLive(service, ended.token)) }
            let forwarded = try await service.open(brand: Gateway.acme, consumer: Self.guest, device: nil)
            #expect(forwarded.session.consumer == Self.ann && !forwarded.anonymous)
            #expect(try await service.authenticate(token: forwarded.token, brand: nil) == forwarded.session)
        }
    }

    @Test("a logout by the id of a merged consumer ends the sessions of the one that it was merged into")
    func mergedName() async throws {
        try await Self.with { gateway, _, service in
            let proofs = LoginProofs(anonymousToken: try await Self.openAnonymous(gateway, service).token)
            let tokens = [
                try await service.open(
                    brand: Gateway.acme,
                    consumer: Self.ann,
                    device: Self.phone,
                    proofs: proofs
                ).token,
                try await service.open(brand: Gateway.acme, consumer: Self.ann, device: nil).token,
            ]
            for token in tokens { #expect(try await Self.isLive(service, token)) }
            let ended = try await service.endAll(
                brand: Gateway.acme,
                consumer: Self.guest,
                device: nil,
                unregister: .none
            )
            #expect(ended.count == 2)
            for token in tokens { #expect(try await !Self.isLive(service, token)) }
        }
    }

    @Test("a login with an unknown result in the store is removed from the cache")
    func uncertain() async throws {
        try await Self.with(singleDevice: true) { gateway, store, service in
            let uncertain = SessionService(
                store: store,
                directory: gateway.directory,
                writer: UncertainWriter(real: gateway.writer),
                clock: gateway.clock
            )
            let anonymous = try await Self.openAnonymous(gateway, service).token
            let own = try await service.open(brand: Gateway.acme, consumer: Self.ann, device: nil).token
            for token in [anonymous, own] { #expect(try await Self.isLive(uncertain, token)) }
            await #expect(throws: SessionError.storage(.unavailable(detail: "no response"))) {
                try await uncertain.open(
                    brand: Gateway.acme,
                    consumer: Self.ann,
                    device: Self.phone,
                    proofs: LoginProofs(anonymousToken: anonymous)
                )
            }
            for token in [anonymous, own] { #expect(try await !Self.isLive(uncertain, token)) }
        }
    }
}
