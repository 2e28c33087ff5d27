import GatewayModel
import GatewayStorage
import TestSupport
import Testing

@testable import Identity

@Suite("Assertions that an issuer signed with its own key", .timeLimit(.minutes(10)))
struct IssuerAssertionTests {
    private static func rejection(
        _ gateway: Gateway,
        _ token: String,
        keyName: String? = nil,
        brand: BrandID = Gateway.acme
    ) async -> AuthenticationError? {
        do {
            _ = try await gateway.verifier.verify(token, keyName: keyName, brand: brand)
            return nil
        } catch { return error }
    }

    @Test("a valid one of each algorithm identifies the consumer", arguments: SignatureAlgorithm.allCases)
    func good(_ algorithm: SignatureAlgorithm) async throws {
        try await Gateway.with { gateway in
            let issuer = try await gateway.issuer(Issuer.details(algorithm))
            let claims = Issuer.claims([
                "name": #""Ann""#, "email": #""ann@example.com""#, "phone_number": #""+4915112345678""#,
                "push_token": #""ignored""#, "jti": #""1""#, "nbf": "0",
            ])
            let token = try Issuer.token(algorithm, claims: claims)
            #expect(
                try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme)
                    == VerifiedAssertion(
                        brand: Gateway.acme,
                        consumer: ConsumerID(trusted: "consumer-1"),
                        anonymous: false,
                        profile: ConsumerProfile(name: "Ann", email: "ann@example.com", phone: "+4915112345678"),
                        pushToken: nil,
                        app: nil,
                        credential: issuer.summary.id,
                        keyName: "login"
                    )
            )
            #expect(await Self.rejection(gateway, token, brand: Gateway.other) == .tokenInvalid(.unknownIssuer))
            #expect(await Self.rejection(gateway, token, keyName: "login") == .tokenInvalid(.unknownKey))
            let reloaded = AssertionVerifier(
                directory: try await gateway.reloaded(),
                publishedKeys: gateway.published,
                clock: gateway.clock
            )
            #expect(try await reloaded.verify(token, keyName: nil, brand: Gateway.acme).keyName == "login")
        }
    }

    @Test("R53: a missing claim is named", arguments: ["iss", "iat", "exp", "sub"])
    func missingClaims(_ name: String) async throws {
        try await Gateway.with { gateway in
            try await gateway.issuer()
            let token = try Issuer.token(claims: Issuer.claims([name: nil]))
            #expect(await Self.rejection(gateway, token) == .missingClaim(name))
        }
    }

    @Test("an invalid claim about the consumer counts as absent")
    func profile() async throws {
        let table: [([String: String?], ConsumerProfile)] = [
            ([:], ConsumerProfile()),
            (["given_name": #""Ann""#, "family_name": #""Lee""#], ConsumerProfile(name: "Ann Lee")),
            (["family_name": #""Lee""#, "name": "7"], ConsumerProfile(name: "Lee")),
            (["name": #""Dr. Lee""#, "given_name": #""Ann""#], ConsumerProfile(name: "Dr. Lee")),
            (["phone": #""0151""#, "phone_number": #""+49151""#], ConsumerProfile(phone: "+49151")),
            (["phone": "7", "email": "[]", "name": #""\#(String(repeating: "x", count: 257))""#], ConsumerProfile()),
            (["email": "null", "name": #""""#], ConsumerProfile()),
        ]
        try await Gateway.with { gateway in
            try await gateway.issuer()
            for (changes, expected) in table {
                let token = try Issuer.token(claims: Issuer.claims(changes))
                let found = try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme)
                #expect(found.profile == expected)
            }
        }
    }

    @Test("an audience of the credential must be in the token; another credential may have another audience")
    func audience() async throws {
        try await Gateway.with { gateway in
            let first = try await gateway.issuer(Issuer.details(audience: "app-1"), named: "first")
            for (audience, isTaken) in [
                (#""app-1""#, true), (#"["app-1"]"#, true), (#"["x","app-1",7]"#, true), (nil, false), ("null", false),
                (#""app-2""#, false), (#"["app-2"]"#, false), ("[]", false), (#"["app-1x"]"#, false),
                (#"[["app-1"]]"#, false), (#"{"app-1":1}"#, false), (#""app-1 ""#, false), (#""APP-1""#, false),
            ] as [(String?, Bool)] {
                let token = try Issuer.token(claims: Issuer.claims(["aud": audience]))
                let expected: AuthenticationError? = isTaken ? nil : .tokenInvalid(.wrongAudience)
                #expect(await Self.rejection(gateway, token) == expected, "\(audience ?? "none")")
            }
            // A permanent error comes before expired.
            let expired = try Issuer.token(claims: Issuer.claims(["aud": #""x""#, "exp": "1"]))
            #expect(await Self.rejection(gateway, expired) == .tokenInvalid(.wrongAudience))
            let second = try await gateway.issuer(Issuer.details(audience: "app-2"), named: "second")
            for (audience, id) in [("app-1", first.summary.id), ("app-2", second.summary.id)] {
                let token = try Issuer.token(claims: Issuer.claims(["aud": "\"\(audience)\""]))
                let found = try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme)
                #expect(found.credential == id)
            }
        }
    }

    @Test("a token with an audience is rejected by a credential without one (RFC 7519 section 4.1.3)")
    func noAudience() async throws {
        try await Gateway.with { gateway in
            try await gateway.issuer()
            for audience in [#""somebody""#, #"["somebody"]"#, "[]", "null", "7"] {
                let token = try Issuer.token(claims: Issuer.claims(["aud": audience]))
                #expect(await Self.rejection(gateway, token) == .tokenInvalid(.wrongAudience), "\(audience)")
            }
            // Without `aud` it is for everybody.
            #expect(await Self.rejection(gateway, try Issuer.token()) == nil)
        }
    }

    @Test("an issuer may have more audiences than credentials are tried for one token")
    func manyAudiences() async throws {
        try await Gateway.with { gateway in
            for number in 1...6 {
                try await gateway.issuer(Issuer.details(audience: "app-\(number)"), named: "issuer-\(number)")
                gateway.clock.advance(seconds: 1)
            }
            for number in 1...6 {
                let token = try Issuer.token(claims: Issuer.claims(["aud": #"["x","app-\#(number)"]"#]))
                let found = try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme)
                #expect(found.keyName == "issuer-\(number)")
            }
            let other = try Issuer.token(claims: Issuer.claims(["aud": #""app-7""#]))
            #expect(await Self.rejection(gateway, other) == .tokenInvalid(.wrongAudience))
            // A stranger's `aud` proves nothing.
            let forged = try Issuer.token(claims: Issuer.claims(["aud": #""app-1""#]), key: Issuer.otherRSA)
            #expect(await Self.rejection(gateway, forged) == .tokenInvalid(.badSignature))
        }
    }

    @Test("unavailable keys of one credential are not reported as a wrong audience of another")
    func unreachableAudience() async throws {
        try await Gateway.with { gateway in
            try await gateway.issuer(Issuer.details(audience: "app-1"), named: "first")
            let silent = VerificationKey.Source.jwks(url: "https://login.example/keys")
            try await gateway.issuer(Issuer.details(audience: "app-2", source: silent), named: "second")
            let token = try Issuer.token(claims: Issuer.claims(["aud": #""app-2""#]))
            #expect(await Self.rejection(gateway, token)?.code == "upstream_unavailable")
        }
    }

    @Test("at most eight of the keys that an issuer publishes are tried for one token")
    func manyKeys() async throws {
        let url = "https://login.example/keys"
        func key(_ pem: String) throws -> VerifyingKey {
            try VerifyingKey(publicPEM: pem, algorithm: .rs256, keyID: "k")
        }
        func tokens() throws -> [String] {
            [try Issuer.token(), try Issuer.token(header: #"{"alg":"RS256","kid":"k"}"#)]
        }
        try await Gateway.with { gateway in
            try await gateway.issuer(Issuer.details(source: .jwks(url: url)))
            gateway.clock.advance(seconds: 1)
            // The newer one is tried first.
            try await gateway.issuer(Issuer.details(source: .jwks(url: url + "2")))
            gateway.published.put([], at: url + "2")
            let others = [VerifyingKey](repeating: try key(Issuer.otherRSA.publicPEM), count: 7)
            gateway.published.put(others + [try key(Issuer.rsa.publicPEM)], at: url)
            for token in try tokens() { #expect(await Self.rejection(gateway, token) == nil) }
            gateway.published.put(others + [others[0], try key(Issuer.rsa.publicPEM)], at: url)
            for token in try tokens() { #expect(await Self.rejection(gateway, token) == .tokenInvalid(.badSignature)) }
            // Over all credentials of the issuer.
            gateway.published.put(others, at: url + "2")
            gateway.published.put([others[0], try key(Issuer.rsa.publicPEM)], at: url)
            for token in try tokens() { #expect(await Self.rejection(gateway, token) == .tokenInvalid(.badSignature)) }
            gateway.published.put([try key(Issuer.rsa.publicPEM)], at: url)
            for token in try tokens() { #expect(await Self.rejection(gateway, token) == nil) }
        }
    }

    @Test("several credentials of an issuer may be active, selected by kid, each with its key and its own expiry")
    func severalCredentials() async throws {
        try await Gateway.with { gateway in
            func token(_ kid: String?, _ algorithm: SignatureAlgorithm = .rs256) throws -> String {
                let kid = kid.map { #","kid":"\#($0)""# } ?? ""
                return try Issuer.token(algorithm, header: #"{"alg":"\#(algorithm.rawValue)"\#(kid)}"#)
            }
            let other = VerificationKey.Source.key(
                PublicKeyDetails(publicKey: Issuer.otherRSA.publicPEM, publicKeyFingerprint: "")
            )
            let old = try await gateway.issuer(Issuer.details(keyId: "old"), named: "old")
            try await gateway.issuer(Issuer.details(keyId: "new", source: other), named: "new")
            #expect(await Self.rejection(gateway, try token("old")) == nil)
            #expect(await Self.rejection(gateway, try token("new")) == .tokenInvalid(.badSignature))
            #expect(await Self.rejection(gateway, try token("none")) == .tokenInvalid(.unknownKey))
            #expect(await Self.rejection(gateway, try token(nil)) == .tokenInvalid(.unknownKey))
            try await gateway.directory.revokeCredential(brand: Gateway.acme, id: old.summary.id)
            #expect(await Self.rejection(gateway, try token("old")) == .tokenInvalid(.revoked))
            #expect(await Self.rejection(gateway, try token("none")) == .tokenInvalid(.unknownKey))

            let ended = gateway.clock.now.adding(seconds: 60)
            try await gateway.issuer(Issuer.details(.es256), named: "any", expiresAt: ended)
            #expect(await Self.rejection(gateway, try token("some", .es256)) == nil)
            #expect(await Self.rejection(gateway, try token(nil, .es256)) == nil)
            #expect(await Self.rejection(gateway, try token(nil, .ps256)) == .tokenInvalid(.wrongAlgorithm))
            gateway.clock.advance(seconds: 60)
            #expect(await Self.rejection(gateway, try token(nil, .es256)) == .tokenInvalid(.revoked))
        }
    }

    @Test("a revoked issuer is reported as revoked until the next start, and another brand's as unknown")
    func revoked() async throws {
        try await Gateway.with { gateway in
            let issuer = try await gateway.issuer()
            try await gateway.directory.revokeCredential(brand: Gateway.acme, id: issuer.summary.id)
            let token = try Issuer.token()
            #expect(await Self.rejection(gateway, token) == .tokenInvalid(.revoked))
            #expect(await Self.rejection(gateway, token, brand: Gateway.other) == .tokenInvalid(.unknownIssuer))
            let again = try await gateway.issuer()
            #expect(await Self.rejection(gateway, token) == nil)
            try await gateway.directory.revokeCredential(brand: Gateway.acme, id: again.summary.id)
            try await gateway.directory.deleteBrand(Gateway.acme)
            #expect(
                !gateway.directory.snapshot.revokedIssuers.contains(
                    .init(key: AssertionVerifier.issuerKey(Issuer.name, Gateway.acme), keyID: nil),
                    of: Gateway.acme
                )
            )
        }
    }

    @Test("issuers that are canonically equivalent but differ in their bytes are two")
    func lookAlikes() async throws {
        try await Gateway.with { gateway in
            // One letter with its accent, and a letter and an accent.
            try await gateway.issuer(Issuer.details(issuer: "caf\u{E9}"))
            let same = try Issuer.token(claims: Issuer.claims(["iss": "\"caf\u{E9}\""]))
            let other = try Issuer.token(claims: Issuer.claims(["iss": "\"cafe\u{301}\""]))
            #expect(await Self.rejection(gateway, same) == nil)
            #expect(await Self.rejection(gateway, other) == .tokenInvalid(.unknownIssuer))
        }
    }

    @Test("an SDK key and an issuer of one name are distinguished by the algorithm")
    func sameName() async throws {
        try await Gateway.with { gateway in
            try await gateway.sdkKey(Issuer.name)
            let name = #""\#(Issuer.name)""#
            let signed = Signer.token(claims: Signer.claims(["iss": name]))
            #expect(await Self.rejection(gateway, signed) == nil)
            #expect(await Self.rejection(gateway, try Issuer.token()) == .tokenInvalid(.wrongAlgorithm))
            try await gateway.issuer()
            #expect(await Self.rejection(gateway, signed) == nil)
            #expect(await Self.rejection(gateway, try Issuer.token()) == nil)
        }
    }

    @Test("published keys are fetched by kid; an unavailable issuer is not reported as an invalid token")
    func published() async throws {
        let url = "https://login.example/keys"
        func token(_ kid: String?) throws -> String {
            try Issuer.token(header: #"{"alg":"RS256"\#(kid.map { #","kid":"\#($0)""# } ?? "")}"#)
        }
        try await Gateway.with { gateway in
            let issuer = try await gateway.issuer(Issuer.details(source: .jwks(url: url)))
            let unavailable = await Self.rejection(gateway, try token("a"))
            #expect(unavailable?.code == "upstream_unavailable")
            func key(_ pem: String, _ kid: String) throws -> VerifyingKey {
                try VerifyingKey(publicPEM: pem, algorithm: .rs256, keyID: kid)
            }
            gateway.published.put(
                [try key(Issuer.otherRSA.publicPEM, "b"), try key(Issuer.rsa.publicPEM, "a")],
                at: url
            )
            #expect(await Self.rejection(gateway, try token("a")) == nil)
            #expect(await Self.rejection(gateway, try token("b")) == .tokenInvalid(.badSignature))
            #expect(await Self.rejection(gateway, try token("c")) == .tokenInvalid(.unknownKey))
            #expect(await Self.rejection(gateway, try token(nil)) == nil)
            gateway.published.put([], at: url)
            #expect(await Self.rejection(gateway, try token(nil)) == .tokenInvalid(.unknownKey))
            try await gateway.directory.revokeCredential(brand: Gateway.acme, id: issuer.summary.id)
            #expect(await Self.rejection(gateway, try token("a")) == .tokenInvalid(.revoked))
        }
    }
}
