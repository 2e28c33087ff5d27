import Cryptography
import Testing
import TextFormats

@testable import PushSimulator

@Suite("The simulated identity provider")
struct IdentityProviderTests {
    private static let now = SimulatorTime(seconds: 1_800_000_000)
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    private static let good =
        "grant_type=authorization_code&code=c&redirect_uri=app%3A%2Fback&code_verifier=\(verifier)"
    /// `client` and `a secret`, each form-encoded first.
    private static let basic = "Basic " + StrictBase64.encode(Array("client:a+secret".utf8), .standard)

    private func provider(challenge: String? = Self.challenge) -> SimulatedIdentityProvider {
        let provider = SimulatedIdentityProvider(clientID: "client", clientSecret: "a secret")
        let claims: [JSONValue.JSONMember] = [
            .init(name: "sub", value: .string("u-1")), .init(name: "aud", value: .null),
        ]
        provider.issue(
            [
                SimulatedCode(
                    code: "c",
                    redirectURI: "app:/back",
                    clientID: "client",
                    codeChallenge: challenge,
                    claims: claims,
                    lifetimeSeconds: 60
                )
            ],
            at: Self.now
        )
        return provider
    }

    private func ask(
        _ provider: SimulatedIdentityProvider,
        _ body: String = Self.good,
        authorization: String? = Self.basic,
        type: String = "application/x-www-form-urlencoded",
        method: String = "POST",
        after seconds: Int64 = 0
    ) -> PushVerdict {
        var headers = [(name: "content-type", value: type)]
        if let authorization { headers.append(("authorization", authorization)) }
        let request = SimulatorRequest(
            method: method,
            path: SimulatedIdentityProvider.tokenPath,
            headers: headers,
            body: Array(body.utf8)
        )
        return provider.verdict(on: request, at: SimulatorTime(seconds: Self.now.seconds + seconds))
    }

    private func keys(_ provider: SimulatedIdentityProvider) throws -> [JSONValue] {
        let request = SimulatorRequest(
            method: "GET",
            path: SimulatedIdentityProvider.keysPath,
            headers: [],
            body: []
        )
        let set = try JSONValue(parsing: provider.verdict(on: request, at: Self.now).reply.body)
        return try #require(set["keys"]?.elements)
    }

    @Test("signs tokens with each algorithm that its JWK set verifies", arguments: SigningAlgorithm.allCases)
    func way(algorithm: SigningAlgorithm) throws {
        let provider = provider()
        let id = try provider.rotateKey(algorithm)
        let verdict = ask(provider)
        #expect(verdict.isAccepted && verdict.reply.status == 200)
        #expect(verdict.reply.headers.contains { $0.name == "cache-control" && $0.value == "no-store" })
        let text = try #require(try JSONValue(parsing: verdict.reply.body)["id_token"]?.stringValue)
        let jws = try #require(CompactJWS(text))
        #expect(jws.header["kid"]?.stringValue == id && jws.header["alg"]?.stringValue == algorithm.rawValue)
        #expect(jws.claims["sub"]?.stringValue == "u-1" && jws.claims["aud"] == nil)
        #expect(jws.claims["iss"]?.stringValue == SimulatedIdentityProvider.issuer)
        let key = try #require(try keys(provider).first)
        func number(_ name: String) throws -> [UInt8] {
            let text = try #require(key[name]?.stringValue)
            return try #require(StrictBase64.decode(text.utf8, .url))
        }
        if algorithm == .es256 {
            let point = try P256.PublicKey(rawRepresentation: try number("x") + number("y"))
            #expect(point.isValidSignature(jws.signature, for: jws.signingInput))
        } else {
            let rsa = try RSA.PublicKey(n: try number("n"), e: try number("e"))
            let padding: RSA.Padding = algorithm == .ps256 ? .pss : .pkcs1
            #expect(rsa.isValidSignature(jws.signature, for: jws.signingInput, padding: padding))
        }
    }

    @Test("publishes old keys with the new one, or only the new one")
    func rotation() throws {
        let provider = provider()
        let first = try #require(try keys(provider).first?["kid"]?.stringValue)
        let second = try provider.rotateKey(.es256)
        #expect(try keys(provider).compactMap { $0["kid"]?.stringValue } == [first, second])
        let third = try provider.rotateKey(.es256, retiresOthers: true)
        #expect(try keys(provider).compactMap { $0["kid"]?.stringValue } == [third])
    }

    @Test(
        "rejects with the standard's error codes",
        arguments: [
            (good.replacing("code=c", with: "code=d"), basic, "invalid_grant", 400),
            (good.replacing("app%3A%2Fback", with: "app%3A%2Fback%2F"), basic, "invalid_grant", 400),
            (good.replacing("&code_verifier=\(verifier)", with: ""), basic, "invalid_grant", 400),
            (good.replacing(verifier, with: challenge), basic, "invalid_grant", 400),
            (good.replacing("authorization_code", with: "password"), basic, "unsupported_grant_type", 400),
            (good.replacing("code=c&", with: ""), basic, "invalid_request", 400),
            (good + "&code=c", basic, "invalid_request", 400),
            (good + "&client_id=client", basic, "invalid_request", 400),
            (good, "Basic " + StrictBase64.encode(Array("client:wrong".utf8), .standard), "invalid_client", 401),
            (good, "Basic " + StrictBase64.encode(Array("client:a secret!".utf8), .standard), "invalid_client", 401),
            (good, "Bearer x", "invalid_client", 401),
        ]
    )
    func rejections(body: String, authorization: String, error: String, status: Int) {
        let verdict = ask(provider(), body, authorization: authorization)
        #expect(verdict.reason == error && verdict.reply.status == status)
    }

    @Test("accepts client credentials in the body too, and requires them")
    func client() {
        let provider = provider()
        #expect(ask(provider, authorization: nil).reply.status == 401)
        let body = Self.good + "&client_id=client&client_secret=a+secret"
        #expect(ask(provider, body, authorization: nil).isAccepted)
        #expect(ask(provider, type: "application/json").reason == "invalid_request")
        #expect(ask(provider, method: "GET").reason == "invalid_request")
    }

    @Test("accepts a code once, within its lifetime, and a verifier only for a code with a challenge")
    func codes() {
        let once = provider()
        #expect(ask(once).isAccepted && ask(once).reason == "invalid_grant")
        #expect(ask(provider(), after: 59).isAccepted)
        #expect(ask(provider(), after: 60).reason == "invalid_grant")
        #expect(ask(provider(challenge: nil)).reason == "invalid_grant")
        // A wrong request uses it up.
        let tried = provider()
        _ = ask(tried, Self.good.replacing(Self.verifier, with: Self.challenge))
        #expect(ask(tried).reason == "invalid_grant")
    }

    @Test("a rule invalidates only the signature, or redirects")
    func rules() throws {
        let provider = provider()
        _ = try provider.rotateKey(.es256)
        let verdict = ask(provider)
        let spoilt = RuledOutcome(
            verdict,
            bentBy: RuleAction(spoilsSignature: true),
            provider: .identityProvider,
            at: Self.now
        )
        func token(_ body: [UInt8]?) throws -> CompactJWS {
            let bytes = try #require(body)
            let text = try JSONValue(parsing: bytes)["id_token"]?.stringValue
            return try #require(text.flatMap { CompactJWS($0) })
        }
        let (before, after) = (try token(verdict.reply.body), try token(spoilt.reply?.body))
        #expect(before.signingInput == after.signingInput && before.signature != after.signature)
        let moved = RuledOutcome(
            verdict,
            bentBy: RuleAction(status: 302, location: "/x"),
            provider: .identityProvider,
            at: Self.now
        )
        #expect(moved.reply?.status == 302)
        #expect(moved.reply?.headers.contains { $0.name == "location" && $0.value == "/x" } == true)
    }

    @Test(
        "codes are parsed strictly",
        arguments: [
            "{}", "[7]", #"[{"code":"c"}]"#, #"[{"code":"c","redirectUri":"r","clientId":"i"}]"#,
            #"[{"code":"c","redirectUri":"r","clientId":"i","claims":[]}]"#,
            #"[{"code":"c","redirectUri":"r","clientId":"i","claims":{},"more":1}]"#,
        ]
    )
    func parsing(text: String) throws {
        #expect(throws: RuleError.self) { try SimulatedCode.parse(Array(text.utf8)) }
        let good = #"[{"code":"c","redirectUri":"r","clientId":"i","claims":{"sub":"u"},"expiresIn":5}]"#
        let codes = try SimulatedCode.parse(Array(good.utf8))
        #expect(codes.map(\.code) == ["c"] && codes.map(\.lifetimeSeconds) == [5])
    }
}
