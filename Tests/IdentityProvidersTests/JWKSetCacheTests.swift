import GatewayModel
import GuardedHTTP
import Identity
import PushSimulator
import Telemetry
import TestSupport
import Testing

@testable import IdentityProviders

@Suite("A published JWK set", .timeLimit(.minutes(10)))
struct JWKSetCacheTests {
    private typealias Fixture = ProviderFixture

    /// Runs a test with a cache, closed at the end.
    private func with(
        _ fixture: Fixture,
        client: GuardedHTTPClient? = nil,
        _ test: (JWKSetCache) async throws -> Void
    ) async throws {
        let calls = client.map {
            ProviderCalls(client: $0, clock: fixture.clock, metrics: fixture.metrics, logger: Fixture.logger)
        }
        let cache = JWKSetCache(calls: calls ?? fixture.calls)
        let result: Result<Void, any Error>
        do { result = .success(try await test(cache)) } catch { result = .failure(error) }
        await cache.close()
        try result.get()
    }

    /// Returns the error of a caller that wants keys; nil for none.
    private func rejection(
        _ cache: JWKSetCache,
        _ url: String,
        _ keyID: String? = nil,
        of brand: BrandID = Fixture.brand
    ) async -> AuthenticationError? {
        do {
            _ = try await cache.keys(at: url, keyID: keyID, algorithm: .rs256, of: brand)
            return nil
        } catch { return error }
    }

    private func isUnavailable(
        _ cache: JWKSetCache,
        _ url: String,
        _ keyID: String? = nil,
        of brand: BrandID = Fixture.brand
    ) async -> Bool {
        await rejection(cache, url, keyID, of: brand)?.isUpstream == true
    }

    private func expect(
        _ count: Int,
        _ cache: JWKSetCache,
        _ url: String,
        _ keyID: String?,
        _ algorithm: SignatureAlgorithm = .rs256,
        of brand: BrandID = Fixture.brand,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await cache.keys(at: url, keyID: keyID, algorithm: algorithm, of: brand).count
        #expect(found == count, sourceLocation: location)
    }

    @Test("is fetched once, has the keys of each algorithm, and is fetched again after ten minutes")
    func fresh() async throws {
        try await Fixture.with { fixture in
            let rsa = try fixture.simulator.identityProvider.rotateKey(.rs256)
            let pss = try fixture.simulator.identityProvider.rotateKey(.ps256)
            let curve = try fixture.simulator.identityProvider.rotateKey(.es256)
            for url in [fixture.plain + "/jwks", fixture.secure + "/jwks"] {
                let before = fixture.asked
                try await with(fixture) { cache in
                    for (algorithm, id) in [(SignatureAlgorithm.rs256, rsa), (.ps256, pss), (.es256, curve)] {
                        let keys = try await cache.keys(at: url, keyID: id, algorithm: algorithm, of: Fixture.brand)
                        #expect(keys.map(\.keyID) == [id] && keys.map(\.algorithm) == [algorithm])
                        try await expect(1, cache, url, nil, algorithm)
                    }
                    try await expect(0, cache, url, rsa, .es256)
                    fixture.clock.advance(seconds: 599)
                    _ = try await cache.keys(at: url, keyID: rsa, algorithm: .rs256, of: Fixture.brand)
                    // Once for the `kid` that is no key of the algorithm, a while after the first fetch: not yet.
                    #expect(fixture.asked == before + 1)
                    fixture.clock.advance(seconds: 1)
                    _ = try await cache.keys(at: url, keyID: rsa, algorithm: .rs256, of: Fixture.brand)
                    #expect(fixture.asked == before + 2)
                }
            }
        }
    }

    @Test("is fetched again for an unknown key, once a minute for any number of invented ones")
    func rotation() async throws {
        try await Fixture.with { fixture in
            let url = fixture.plain + "/jwks"
            let old = try fixture.simulator.identityProvider.rotateKey(.rs256)
            try await with(fixture) { cache in
                try await expect(1, cache, url, old)
                let new = try fixture.simulator.identityProvider.rotateKey(.rs256, retiresOthers: true)
                fixture.clock.advance(seconds: 59)
                try await expect(0, cache, url, new)
                try await expect(1, cache, url, old)
                #expect(fixture.asked == 1)
                fixture.clock.advance(seconds: 1)
                try await expect(1, cache, url, new)
                try await expect(0, cache, url, old)
                #expect(fixture.asked == 2)
                for minute in 1...5 {
                    for guess in 0..<60 {
                        fixture.clock.advance(seconds: 1)
                        let id = "guess-\(minute)-\(guess)"
                        try await expect(0, cache, url, id)
                    }
                    #expect(fixture.asked == 2 + minute)
                }
            }
        }
    }

    @Test("is used for a day while its URL fails, which is fetched every ten seconds at most")
    func outage() async throws {
        try await Fixture.with { fixture in
            let url = fixture.plain + "/jwks"
            let id = try fixture.simulator.identityProvider.rotateKey(.rs256)
            try await with(fixture) { cache in
                try await expect(1, cache, url, id)
                fixture.rule(RuleAction(status: 503), "jwks")
                fixture.clock.advance(seconds: 600)
                for _ in 0..<30 {
                    try await expect(1, cache, url, id)
                    fixture.clock.advance(seconds: 1)
                }
                #expect(fixture.asked == 4)
                fixture.clock.advance(seconds: 86_400 - 630 - 1)
                try await expect(1, cache, url, id)
                fixture.clock.advance(seconds: 1)
                #expect(await isUnavailable(cache, url))
                #expect(await isUnavailable(cache, url))
                #expect(fixture.asked == 5)
                fixture.simulator.setRules([])
                fixture.clock.advance(seconds: 10)
                try await expect(1, cache, url, id)
                let text = fixture.registry.render()
                #expect(text.contains(#"switchboard_identity_key_set_fetches_total{result="refused"} 4"#))
                #expect(text.contains(#"switchboard_identity_key_set_fetches_total{result="read"} 2"#))
            }
        }
    }

    @Test("does not report a key as unknown while it cannot be fetched")
    func rotatedInOutage() async throws {
        try await Fixture.with { fixture in
            let url = fixture.plain + "/jwks"
            let old = try fixture.simulator.identityProvider.rotateKey(.rs256)
            try await with(fixture) { cache in
                try await expect(1, cache, url, old)
                let new = try fixture.simulator.identityProvider.rotateKey(.rs256)
                fixture.rule(RuleAction(status: 503), "jwks")
                // Fetched within the minute: it has no such key.
                fixture.clock.advance(seconds: 59)
                try await expect(0, cache, url, new)
                fixture.clock.advance(seconds: 1)
                // The waiters of the failing fetch, and callers before it may be repeated, get the same error.
                #expect(await isUnavailable(cache, url, new))
                fixture.clock.advance(seconds: 59)
                #expect(await isUnavailable(cache, url, new))
                try await expect(1, cache, url, old)
                #expect(fixture.asked == 2)
                fixture.simulator.setRules([])
                fixture.clock.advance(seconds: 1)
                try await expect(1, cache, url, new)
                try await expect(0, cache, url, "made up")
            }
        }
    }

    @Test("is fetched once for all waiters, and a cancelled one affects no other")
    func shared() async throws {
        try await Fixture.with { fixture in
            let url = fixture.plain + "/jwks"
            _ = try fixture.simulator.identityProvider.rotateKey(.rs256)
            fixture.rule(RuleAction(delayMilliseconds: 500), "jwks")
            try await with(fixture) { cache in
                let first = Task { await isUnavailable(cache, url) }
                try await until("the read") { fixture.asked == 1 }
                first.cancel()
                let others = await withTaskGroup(of: Bool.self) { group in
                    for _ in 0..<50 { group.addTask { await isUnavailable(cache, url) } }
                    return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(others == 0 && fixture.asked == 1)
                #expect(await first.value)
            }
        }
    }

    @Test("that is invalid, too large, or a redirect, is not used")
    func unusable() async throws {
        try await Fixture.with { fixture in
            let key = #"{"kty":"EC","crv":"P-256","x":"a","y":"b"}"#
            func keys(_ count: Int) -> [UInt8] {
                Array(#"{"keys":[\#(Array(repeating: key, count: count).joined(separator: ","))]}"#.utf8)
            }
            let huge = Array(#"{"keys":[],"x":"\#(String(repeating: "a", count: 65_536))"}"#.utf8)
            let actions: [RuleAction] = [
                RuleAction(status: 404), RuleAction(status: 200, html: "fine"), RuleAction(body: keys(101)),
                RuleAction(body: huge), RuleAction(body: []), RuleAction(body: Array("[]".utf8)),
                RuleAction(body: Array(#"{"keys":{}}"#.utf8)), RuleAction(body: Array(#"{"keys":[],"keys":[]}"#.utf8)),
                RuleAction(status: 302, location: fixture.plain + "/other"), RuleAction(status: 204),
                RuleAction(truncates: true), RuleAction(drops: true),
            ]
            for (number, action) in actions.enumerated() {
                fixture.rule(action, "jwks")
                try await with(fixture) { cache in
                    #expect(await isUnavailable(cache, fixture.secure + "/jwks"), "\(action)")
                    // Not fetched again at once.
                    #expect(await isUnavailable(cache, fixture.secure + "/jwks"))
                    #expect(fixture.asked == number + 1)
                }
            }
            fixture.rule(RuleAction(body: keys(100)), "jwks")
            try await with(fixture) { cache in #expect(await !isUnavailable(cache, fixture.plain + "/jwks")) }
        }
    }

    @Test("at a name that resolves to a private network or to this host is not fetched")
    func guarded() async throws {
        try await Fixture.with { fixture in
            for address in ["10.0.0.1", "127.0.0.1", "169.254.169.254"] {
                let client = GuardedHTTPClient(
                    resolver: FixedResolver(found: [address].compactMap { InternetAddress($0) }),
                    policy: AddressPolicy(allowsLoopback: true),
                    maxIdle: 1
                )
                let port = fixture.simulator.fcm.port
                try await with(fixture, client: client) { cache in
                    #expect(await isUnavailable(cache, "https://keys.example:\(port)/identity-provider/jwks"))
                    #expect(await isUnavailable(cache, "http://keys.example/"))
                    #expect(await isUnavailable(cache, "no address"))
                }
                await client.close()
            }
            #expect(fixture.asked == 0)
        }
    }

    @Test("is evicted when too many others were used since then")
    func bounded() async throws {
        try await Fixture.with { fixture in
            try await with(fixture) { cache in
                for number in 0...256 { #expect(await !isUnavailable(cache, fixture.plain + "/jwks?\(number)")) }
                #expect(await !isUnavailable(cache, fixture.plain + "/jwks?256"))
                #expect(fixture.asked == 257)
                #expect(await !isUnavailable(cache, fixture.plain + "/jwks?0"))
                #expect(fixture.asked == 258)
            }
        }
    }

    @Test("that is cached evicts no other when it is fetched again")
    func readAgain() async throws {
        try await Fixture.with { fixture in
            _ = try fixture.simulator.identityProvider.rotateKey(.rs256)
            try await with(fixture) { cache in
                for number in 0..<256 { try await expect(1, cache, fixture.plain + "/jwks?\(number)", nil) }
                fixture.clock.advance(seconds: 600)
                try await expect(1, cache, fixture.plain + "/jwks?255", nil)
                fixture.rule(RuleAction(status: 503), "jwks")
                // The least recently used one is still cached.
                try await expect(1, cache, fixture.plain + "/jwks?0", nil)
            }
        }
    }

    @Test("stays cached while many issuers of another brand fail or respond")
    func shares() async throws {
        try await Fixture.with { fixture in
            let (good, theirs) = (fixture.plain + "/jwks?good", fixture.plain + "/jwks?theirs")
            let greedy = BrandID(trusted: "greedy")
            _ = try fixture.simulator.identityProvider.rotateKey(.rs256)
            try await with(fixture) { cache in
                try await expect(1, cache, good, nil)
                try await expect(1, cache, theirs, nil, of: greedy)
                // Nothing listens there: it fails at once.
                for number in 0..<300 {
                    #expect(await isUnavailable(cache, "http://127.0.0.1:1/\(number)", of: greedy))
                }
                #expect(fixture.asked == 2)
                // Of the brand's own sets the failing ones are evicted first.
                try await expect(1, cache, good, nil)
                try await expect(1, cache, theirs, nil, of: greedy)
                #expect(fixture.asked == 2)
                for number in 0..<300 { try await expect(1, cache, fixture.plain + "/jwks?\(number)", nil, of: greedy) }
                #expect(fixture.asked == 302)
                try await expect(1, cache, good, nil)
                #expect(fixture.asked == 302)
                // One more of a brand with few has room, too.
                try await expect(1, cache, fixture.plain + "/jwks?more", nil)
                try await expect(1, cache, fixture.plain + "/jwks?more", nil)
                try await expect(1, cache, good, nil)
                #expect(fixture.asked == 303)
            }
        }
    }

    @Test("of one brand is not shared with another, even at the same URL")
    func ofOneBrand() async throws {
        try await Fixture.with { fixture in
            let url = fixture.plain + "/jwks"
            let other = BrandID(trusted: "other")
            try await with(fixture) { cache in
                // This invented key delays no other brand's set for a minute.
                try await expect(0, cache, url, "new")
                fixture.clock.advance(seconds: 60)
                try await expect(0, cache, url, "new", of: other)
                try await expect(0, cache, url, "new")
                #expect(fixture.asked == 3)
            }
        }
    }

    @Test("is rejected with the reason while a brand's share is in use, and fetched later; others are fetched")
    func full() async throws {
        try await Fixture.with { fixture in
            let resolver = HeldResolver()
            let client = GuardedHTTPClient(
                resolver: resolver,
                policy: AddressPolicy(allowsLoopback: true),
                maxIdle: 0
            )
            let kept = fixture.plain + "/jwks"
            _ = try fixture.simulator.identityProvider.rotateKey(.rs256)
            try await with(fixture, client: client) { cache in
                try await expect(1, cache, kept, nil)
                fixture.clock.advance(seconds: 600)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    func ask(_ path: String, of brand: BrandID = Fixture.brand) {
                        group.addTask { _ = await isUnavailable(cache, "https://keys.example/\(path)", of: brand) }
                    }
                    for number in 0..<128 { ask("\(number)") }
                    try await until("the brand's reads") { resolver.asked == 128 }
                    let refused = await rejection(cache, "https://keys.example/128")
                    #expect(refused?.isUpstream == true && refused?.operatorText?.contains("too many issuers") == true)
                    // The cached set is used until it can be fetched again.
                    try await expect(1, cache, kept, nil)
                    #expect(fixture.asked == 1)
                    for number in 0..<128 { ask("\(number)", of: BrandID(trusted: "b-\(number)")) }
                    try await until("all reads") { resolver.asked == 256 }
                    let last = await rejection(cache, "https://keys.example/", of: BrandID(trusted: "last"))
                    #expect(last?.operatorText?.contains("too many issuers") == true && resolver.asked == 256)
                    resolver.release()
                    try await group.waitForAll()
                    #expect(await isUnavailable(cache, "https://keys.example/128"))
                    #expect(resolver.asked == 257)
                    try await expect(1, cache, kept, nil)
                    #expect(fixture.asked == 2)
                }
            }
            await client.close()
        }
    }

    @Test("is given up when the gateway stops")
    func stopping() async throws {
        try await Fixture.with { fixture in
            fixture.rule(RuleAction(isSilent: true), "jwks")
            try await with(fixture) { cache in
                async let isTold = isUnavailable(cache, fixture.plain + "/jwks")
                try await until("the read") { fixture.asked == 1 }
                await cache.close()
                #expect(await isTold)
                #expect(await isUnavailable(cache, fixture.plain + "/else"))
                #expect(fixture.asked == 1)
            }
        }
    }
}

@Suite("A JWK set")
struct JWKSetTests {
    private func count(_ members: String, _ algorithm: SignatureAlgorithm = .es256) -> Int? {
        let key =
            #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
            + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","kid":"1"\#(members)}"#
        return JWKSet(Array(#"{"keys":[\#(key),7,null,{}]}"#.utf8))?.keys("1", algorithm).count
    }

    @Test("contains only keys that may verify with the algorithm; others are skipped")
    func fitting() {
        #expect(count("") == 1 && count("", .rs256) == 0)
        #expect(count(#","use":"sig","alg":"ES256","key_ops":["verify"]"#) == 1)
        #expect(count(#","use":"enc""#) == 0 && count(#","alg":"ES384""#) == 0)
        #expect(count(#","key_ops":["encrypt"]"#) == 0 && count(#","key_ops":7"#) == 0)
        #expect(count(#","kid":"1""#) == nil)
    }
}
