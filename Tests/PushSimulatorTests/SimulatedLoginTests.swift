import Testing
import TextFormats

@testable import PushSimulator

@Suite("The authorization endpoint of the simulated identity provider")
struct SimulatedLoginTests {
    private static let now = SimulatorTime(seconds: 1_800_000_000)
    private static let back = "http://localhost/back?a=1"
    private static let good = [
        "response_type": "code", "client_id": "client", "redirect_uri": back, "scope": "openid email",
        "state": "0123456789abcdef", "nonce": "fedcba9876543210", "code_challenge_method": "S256",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    ]

    private static func provider(_ fault: SimulatedLogin.Fault? = nil) throws -> SimulatedIdentityProvider {
        let provider = SimulatedIdentityProvider(clientID: "client", clientSecret: "a secret")
        try provider.rotateKey(.es256)
        let claims: [JSONValue.JSONMember] = [.init(name: "sub", value: .string("u-1"))]
        provider.setLogin(SimulatedLogin(redirectURIs: [back], claims: claims, fault: fault))
        return provider
    }

    private static func ask(
        _ provider: SimulatedIdentityProvider,
        _ fields: [String: String?] = [:],
        more: String = ""
    ) -> PushVerdict {
        let all = good.merging(fields.mapValues { $0 ?? "" }) { $1 }.filter { !$0.value.isEmpty }
        let query = all.map { "\($0)=\(PercentEncoding.encode($1.utf8, .form))" }.joined(separator: "&")
        let path = SimulatedIdentityProvider.authorizationPath + "?" + query + more
        let request = SimulatorRequest(method: "GET", path: path, headers: [("host", "127.0.0.1:1")], body: [])
        return provider.verdict(on: request, at: now)
    }

    /// Returns the parameters with which the browser is sent back.
    private static func answer(_ verdict: PushVerdict) throws -> [String: String] {
        let location = try #require(verdict.reply.headers.first { $0.name == "location" }?.value)
        try #require(verdict.reply.status == 302 && location.hasPrefix(back + "&"))
        let fields = try #require(FormDecoder.fields(of: Array(location.utf8.dropFirst(back.utf8.count + 1))))
        return Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) })
    }

    @Test("a request with all that it should have is answered with a code, which the token endpoint takes")
    func way() throws {
        let provider = try Self.provider()
        let answer = try Self.answer(Self.ask(provider))
        #expect(answer["state"] == Self.good["state"] && answer["iss"] == "http://127.0.0.1:1/identity-provider")
        let code = try #require(answer["code"])
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let form = [
            "grant_type=authorization_code", "code=\(code)", "code_verifier=\(verifier)", "client_id=client",
            "client_secret=a+secret", "redirect_uri=\(PercentEncoding.encode(Self.back.utf8, .form))",
        ]
        let request = SimulatorRequest(
            method: "POST",
            path: SimulatedIdentityProvider.tokenPath,
            headers: [("content-type", "application/x-www-form-urlencoded")],
            body: Array(form.joined(separator: "&").utf8)
        )
        let verdict = provider.verdict(on: request, at: Self.now)
        let text = try #require(try JSONValue(parsing: verdict.reply.body)["id_token"]?.stringValue)
        let claims = try #require(CompactJWS(text)).claims
        #expect(claims["nonce"]?.stringValue == Self.good["nonce"] && claims["sub"]?.stringValue == "u-1")
        #expect(claims["aud"]?.stringValue == "client" && claims["iss"]?.stringValue == answer["iss"])
    }

    @Test(
        "a request that lacks something, or has something else, is answered without a redirect",
        arguments: [
            ("response_type", "token"), ("client_id", "other"), ("redirect_uri", back + "x"), ("scope", "email"),
            ("state", "short"), ("nonce", "short"), ("code_challenge_method", "plain"), ("code_challenge", "x"),
        ]
    )
    func rejections(name: String, value: String) throws {
        let provider = try Self.provider()
        for value in [value, nil] {
            let verdict = Self.ask(provider, [name: value])
            #expect(verdict.reply.status == 400 && !verdict.isAccepted, "\(name): \(value ?? "none")")
        }
        #expect(Self.ask(provider, more: "&\(name)=x").reply.status == 400)
        provider.setLogin(nil)
        #expect(Self.ask(provider).reply.status == 400)
    }

    @Test("an error, another state and another issuer are sent back on request")
    func faults() throws {
        let denied = try Self.answer(Self.ask(Self.provider(.denied)))
        #expect(denied["error"] == "access_denied" && denied["code"] == nil)
        #expect(try Self.answer(Self.ask(Self.provider(.state)))["state"] != Self.good["state"])
        let other = try Self.answer(Self.ask(Self.provider(.issuer)))["iss"]
        #expect(other == "http://127.0.0.1:1/identity-providerx")
    }

    @Test(
        "the person is parsed strictly",
        arguments: [
            "", "[]", "{}", #"{"redirectUris":[],"claims":{}}"#, #"{"redirectUris":["r"]}"#,
            #"{"redirectUris":["r"],"claims":[]}"#, #"{"redirectUris":["r"],"claims":{},"fault":"x"}"#,
            #"{"redirectUris":["r"],"claims":{},"more":1}"#,
        ]
    )
    func parsing(text: String) throws {
        #expect(throws: RuleError.self) { try SimulatedLogin.parse(Array(text.utf8)) }
        let good = #"{"redirectUris":["r"],"claims":{"sub":"u"},"fault":"nonce"}"#
        let login = try SimulatedLogin.parse(Array(good.utf8))
        #expect(login.redirectURIs == ["r"] && login.fault == .nonce && login.claims.map(\.name) == ["sub"])
    }
}
