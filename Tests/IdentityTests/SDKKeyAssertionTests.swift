import GatewayModel
import GatewayStorage
import Testing

@testable import Identity

@Suite("Assertions that a back-end signed with an SDK key", .timeLimit(.minutes(10)))
struct SDKKeyAssertionTests {
    private static let start = Gateway.start

    @Test("a valid one identifies the consumer")
    func good() async throws {
        try await Gateway.with { gateway in
            let key = try await gateway.sdkKey("main")
            let token = Signer.token(
                claims: Signer.claims([
                    "name": #""Ann""#, "email": #""ann@example.com""#, "phone": #""+4915112345678""#,
                    "push_token": #""abc""#, "custom_data": #"{"a":[1,{}]}"#,
                ])
            )
            #expect(
                try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme)
                    == VerifiedAssertion(
                        brand: Gateway.acme,
                        consumer: ConsumerID(trusted: "consumer-1"),
                        anonymous: false,
                        profile: ConsumerProfile(name: "Ann", email: "ann@example.com", phone: "+4915112345678"),
                        pushToken: "abc",
                        app: nil,
                        credential: key.summary.id,
                        keyName: "main"
                    )
            )
        }
    }

    @Test(
        "R193: times may have a fraction",
        arguments: [
            ["iat": "\(Gateway.start).25", "exp": "\(Gateway.start + 600).5", "nbf": "\(Gateway.start).0"],
            ["iat": "\(Gateway.start + 60).999", "exp": "1.7000006e9"], ["exp": "\(Gateway.start - 4).1"],
        ] as [[String: String]]
    )
    func fractions(_ times: [String: String]) async throws {
        try await Gateway.with { gateway in
            try await gateway.sdkKey("main")
            let claims = Signer.claims(times)
            let found = try await gateway.verifier.verify(
                Signer.token(claims: claims),
                keyName: nil,
                brand: Gateway.acme
            )
            #expect(found.consumer.rawValue == "consumer-1")
        }
    }

    @Test("null and empty members count as absent")
    func absentMembers() async throws {
        try await Gateway.with { gateway in
            try await gateway.sdkKey("main")
            for value in ["null", #""""#] {
                let claims = Signer.claims(["name": value, "email": value, "phone": value, "push_token": value])
                let assertion = try await gateway.verifier.verify(
                    Signer.token(claims: claims),
                    keyName: nil,
                    brand: Gateway.acme
                )
                #expect(assertion.profile == ConsumerProfile())
                #expect(assertion.pushToken == nil)
            }
        }
    }

    @Test("the key is named by the request, by iss or by kid, and one in the request is the only one that counts")
    func naming() async throws {
        try await Gateway.with { gateway in
            try await gateway.sdkKey("main")
            try await gateway.sdkKey("second", secret: "another-secret-that-has-forty-bytes-in-it")
            let verifier = gateway.verifier
            let kid = #"{"alg":"HS256","kid":"main"}"#
            let noIssuer = Signer.claims(["iss": nil])
            func keyName(_ token: String, _ name: String?) async throws(AuthenticationError) -> String {
                try await verifier.verify(token, keyName: name, brand: Gateway.acme).keyName
            }
            #expect(try await keyName(Signer.token(), nil) == "main")
            #expect(try await keyName(Signer.token(header: kid, claims: noIssuer), nil) == "main")
            #expect(
                try await keyName(Signer.token(header: kid, claims: Signer.claims(["iss": #""acme inc""#])), nil)
                    == "main"
            )
            #expect(try await keyName(Signer.token(claims: noIssuer), "main") == "main")
            await #expect(throws: AuthenticationError.tokenInvalid(.badSignature)) {
                try await keyName(Signer.token(), "second")
            }
            await #expect(throws: AuthenticationError.tokenInvalid(.unknownKey)) {
                try await keyName(Signer.token(), "nobody")
            }
        }
    }

    @Test("an HMAC token whose kid is a key of the brand belongs to that key, for any iss")
    func keyIDBehindIssuer() async throws {
        try await Gateway.with { gateway in
            try await gateway.sdkKey("new")
            let old = try await gateway.sdkKey("old", secret: "another-secret-that-has-forty-bytes-in-it")
            try await gateway.directory.revokeCredential(brand: Gateway.acme, id: old.summary.id)
            try await gateway.issuer()
            try await gateway.sdkKey("theirs", brand: Gateway.other)
            func found(_ issuer: String, _ keyID: String?, _ algorithm: String = "HS256") async -> String {
                let kid = keyID.map { #","kid":"\#($0)""# } ?? ""
                let token = Signer.token(
                    header: #"{"alg":"\#(algorithm)"\#(kid)}"#,
                    claims: Signer.claims(["iss": "\"\(issuer)\""])
                )
                do {
                    return try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme).keyName
                } catch { return error.reason ?? error.code }
            }
            #expect(await found(Issuer.name, "new") == "new")
            #expect(await found("old", "new") == "new")
            #expect(await found("old", nil) == "revoked")
            #expect(await found("old", "theirs") == "revoked")
            #expect(await found("new", "old") == "new")
            #expect(await found(Issuer.name, "old") == "revoked")
            #expect(await found(Issuer.name, nil) == "wrong_algorithm")
            #expect(await found(Issuer.name, "theirs") == "wrong_algorithm")
            #expect(await found("nobody", "theirs") == "unknown_issuer")
            // The key determines its algorithm, and an issuer's algorithm never selects an SDK key.
            #expect(await found(Issuer.name, "new", "HS512") == "wrong_algorithm")
            #expect(await found(Issuer.name, "new", "RS256") == "bad_signature")
            #expect(await found("old", "new", "RS256") != "new")
            let secret = Issuer.rsa.publicPEM
            let confused = Signer.token(
                header: #"{"alg":"HS256","kid":"new"}"#,
                claims: Issuer.claims(),
                secret: secret
            )
            await #expect(throws: AuthenticationError.tokenInvalid(.badSignature)) {
                try await gateway.verifier.verify(confused, keyName: nil, brand: Gateway.acme)
            }
        }
    }

    @Test("permanent errors are reported before those that time resolves (R54)")
    func invalidBeforeExpired() async throws {
        try await Gateway.with { gateway in
            try await gateway.sdkKey("main")
            func rejection(_ changes: [String: String?]) async -> AuthenticationError? {
                let late: [String: String?] = ["exp": "\(Self.start - 60)"]
                let token = Signer.token(claims: Signer.claims(late.merging(changes) { $1 }))
                do {
                    _ = try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme)
                    return nil
                } catch { return error }
            }
            #expect(await rejection([:]) == .tokenExpired)
            #expect(await rejection(["identifier": nil]) == .missingClaim("identifier"))
            for (name, value) in [("identifier", "7"), ("phone", #""12""#), ("email", "[]"), ("push_token", "{}")] {
                let found = await rejection([name: value])
                guard case .invalidClaim(name, _)? = found else {
                    Issue.record("\(name): \(String(describing: found))")
                    continue
                }
            }
        }
    }

    @Test("an SDK key ignores aud: its tokens are for the gateway only")
    func audience() async throws {
        try await Gateway.with { gateway in
            try await gateway.sdkKey("main")
            let token = Signer.token(claims: Signer.claims(["aud": #""somebody""#, "events": "{}"]))
            #expect(try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme).keyName == "main")
        }
    }

    @Test("without an identifier the consumer is anonymous, if the brand allows it")
    func anonymous() async throws {
        for identifier in [nil, "null"] as [String?] {
            let token = Signer.token(claims: Signer.claims(["identifier": identifier]))
            try await Gateway.with(anonymousConsumers: true) { gateway in
                try await gateway.sdkKey("main")
                let first = try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme)
                let second = try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme)
                #expect(first.anonymous && second.anonymous)
                #expect(first.consumer != second.consumer)
                #expect(first.consumer.rawValue.utf8.count == 36)
            }
            try await Gateway.with(anonymousConsumers: false) { gateway in
                try await gateway.sdkKey("main")
                await #expect(throws: AuthenticationError.missingClaim("identifier")) {
                    try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme)
                }
            }
        }
    }

    @Test("invalid claims about the consumer are named")
    func unusableClaims() async throws {
        let long = String(repeating: "x", count: 257)
        let table: [(String, String)] =
            [#""""#, "7", "true", "[]", "{}", #""a\u0000b""#, #""\u0085""#, #""\#(long)""#].map { ("identifier", $0) }
            + ["7", "true", "[]", #""\#(long)""#].flatMap { [("name", $0), ("email", $0)] }
            + [
                #""4915112345678""#, #""+""#, #""+1""#, #""+0123456""#, #""+1234567890123456""#, #""+49 151 1234""#,
                #""+49151a""#, #""++49151""#, #""+４９""#, #""tel:+4915""#, #"" +4915""#, #""+4915 ""#, "4915112345678",
            ].map { ("phone", $0) }
            + [("push_token", "1"), ("push_token", #""\#(String(repeating: "x", count: 4097))""#)]
        try await Gateway.with(anonymousConsumers: true) { gateway in
            try await gateway.sdkKey("main")
            for (name, value) in table {
                let token = Signer.token(claims: Signer.claims([name: value]))
                let error = await #expect(throws: AuthenticationError.self) {
                    try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme)
                }
                guard case .invalidClaim(name, let detail)? = error else {
                    Issue.record("\(name) \(value.prefix(40)): \(String(describing: error))")
                    continue
                }
                #expect(!detail.contains(long))
                #expect(error?.code == "invalid_request" && error?.reason == nil)
            }
            for phone in ["+12", "+123456789012345"] {
                let token = Signer.token(claims: Signer.claims(["phone": #""\#(phone)""#]))
                #expect(
                    try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme).profile.phone == phone
                )
            }
        }
    }

    @Test("tokens that a Python library (joserfc 1.6) made are accepted, each by a key of its algorithm only")
    func joserfc() async throws {
        let secret = "joserfc-secret-of-sixty-four-bytes-for-every-algorithm-in-the-li"
        let claims =
            ".eyJpYXQiOjE3MDAwMDAwMDAsImV4cCI6MTcwMDAwMDYwMCwiaWRlbnRpZmllciI6Inpvw6siLCJuYW1lIjoiWm_DqyDwn5iAIn0."
        let tokens: [(HMACAlgorithm, String)] = [
            (
                .hs256,
                "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiIsImtpZCI6InB5dGhvbiJ9" + claims
                    + "PsPC_JSGuobzZHzr9dZpVxpMxtVaimB1t_nLBQCckCc"
            ),
            (
                .hs384,
                "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzM4NCIsImtpZCI6InB5dGhvbiJ9" + claims
                    + "IjfsSaWo7lPMiLuksFi2WpHBE2WmM-m6E-BTVwSjYZQaPAgMFpMhAApdcNhJ1GjF"
            ),
            (
                .hs512,
                "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzUxMiIsImtpZCI6InB5dGhvbiJ9" + claims
                    + "lgv7g5zb7BfgfBQMA8NQkjpnTOtEZ2vFBOakLKneWa6HkTNcoC2LqwxXMwV_l1xYIEYigwlRjgU3w-uyCjTwNg"
            ),
        ]
        try await Gateway.with { gateway in
            for algorithm in HMACAlgorithm.allCases {
                try await gateway.sdkKey(algorithm.rawValue, secret: secret, algorithm: algorithm)
            }
            for key in HMACAlgorithm.allCases {
                for (algorithm, token) in tokens {
                    if key == algorithm {
                        let found = try await gateway.verifier.verify(token, keyName: key.rawValue, brand: Gateway.acme)
                        #expect(found.consumer.rawValue == "zoë" && found.profile.name == "Zoë 😀")
                    } else {
                        await #expect(throws: AuthenticationError.tokenInvalid(.wrongAlgorithm)) {
                            try await gateway.verifier.verify(token, keyName: key.rawValue, brand: Gateway.acme)
                        }
                    }
                }
            }
        }
    }

    @Test("a generated secret is as long as its algorithm's hash, and signs with its text's bytes")
    func madeSecret() async throws {
        try await Gateway.with { gateway in
            let made = try await gateway.sdkKey("main", secret: nil)
            #expect(made.secret?.utf8.count == 43)
            let token = Signer.token(secret: try #require(made.secret))
            #expect(try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme).keyName == "main")
            for (algorithm, count) in [(HMACAlgorithm.hs384, 64), (.hs512, 86)] {
                let other = try await gateway.sdkKey(algorithm.rawValue, secret: nil, algorithm: algorithm)
                #expect(other.secret?.utf8.count == count)
                #expect(other.summary.details == .sdkKey(algorithm: algorithm, app: nil))
            }
        }
    }

    @Test("the app of the key is part of the assertion")
    func app() async throws {
        try await Gateway.with { gateway in
            let app = AppID(trusted: "ios")
            _ = try await gateway.directory.putApp(
                brand: Gateway.acme,
                app: app,
                settings: AppSettings(platform: .ios, apns: Gateway.apns)
            )
            try await gateway.sdkKey("main", app: app)
            #expect(try await gateway.verifier.verify(Signer.token(), keyName: nil, brand: Gateway.acme).app == app)
        }
    }
}
