import Crypto
import HTTPTypes
import Identity
import Testing

@testable import GatewayHTTP

@Suite("Credentials of every kind", .timeLimit(.minutes(10)))
struct CredentialRouteTests {
    private static let path = "/v1/brands/acme/credentials"
    private static let key = P256.Signing.PrivateKey()
    private static let publicPEM = escaped(key.publicKey.pemRepresentation)
    private static let privatePEM = escaped(key.pemRepresentation)
    private static let otherCurve = escaped(P384.Signing.PrivateKey().publicKey.pemRepresentation)

    private static func escaped(_ pem: String) -> String { (pem + "\n").replacing("\n", with: "\\n") }

    private static let provider =
        #""kind":"identityProvider","issuer":"https://idp.example","tokenEndpoint":"https://idp.example/token","#
        + #""clientId":"c","clientSecret":"CLIENT-SECRET","clientAuth":"basic","redirectUris":["app://cb"],"#
        + #""algorithm":"ES256","pkce":"required""#
    private static let broker =
        #""kind":"tokenBroker","app":"ios","tokenUrl":"https://t.example/oauth/token","clientId":"c","keyId":"k","#
        + #""scope":"visual-sessions:execute","privateKey":"\#(privatePEM)""#

    private static func decision(_ url: String, _ secret: String) -> String {
        #","decision":{"url":"\#(url)","secret":"\#(secret)"}"#
    }

    /// A body of each kind, and the members of the response besides the common ones.
    private static let bodies: [(kind: String, body: String, members: Set<String>)] = [
        ("serviceAccount", #""kind":"serviceAccount","scopes":["events:write"]"#, ["secret", "scopes"]),
        ("apiKey", #""kind":"apiKey""#, ["secret"]),
        ("sdkKey", #""kind":"sdkKey","app":"ios""#, ["secret", "algorithm", "app", "maxLifetimeSeconds", "singleUse"]),
        (
            "jwtIssuer",
            #""kind":"jwtIssuer","issuer":"i","algorithm":"ES256","publicKey":"\#(publicPEM)","keyId":"k""#,
            ["issuer", "algorithm", "publicKey", "publicKeyFingerprint", "keyId", "maxLifetimeSeconds", "singleUse"]
        ),
        (
            "jwtIssuer",
            #""kind":"jwtIssuer","issuer":"i","algorithm":"RS256","jwksUrl":"https://i.example/jwks","audience":"a""#,
            ["issuer", "algorithm", "jwksUrl", "audience", "maxLifetimeSeconds", "singleUse"]
        ),
        (
            "jweKey", #""kind":"jweKey","algorithm":"ECDH-ES""#,
            ["algorithm", "publicKey", "publicKeyFingerprint"]
        ),
        (
            "jweKey", #""kind":"jweKey","algorithm":"ECDH-ES","privateKey":"\#(privatePEM)""#,
            ["algorithm", "publicKey", "publicKeyFingerprint"]
        ),
        (
            "identityProvider", provider + #","jwksUrl":"https://idp.example/jwks","issuerDisplayName":"Shop""#,
            [
                "issuer", "issuerDisplayName", "tokenEndpoint", "clientId", "clientAuth", "redirectUris", "algorithm",
                "pkce", "jwksUrl", "maxLifetimeSeconds", "singleUse",
            ]
        ),
        ("customerTokenKey", #""kind":"customerTokenKey""#, ["secret"]),
        (
            "tokenBroker", broker,
            ["secret", "app", "tokenUrl", "clientId", "keyId", "scope", "publicKey", "publicKeyFingerprint"]
        ),
        (
            "tokenBroker", broker + decision("https://d.example/x", WebhookSecret().text),
            [
                "secret", "app", "tokenUrl", "clientId", "keyId", "scope", "publicKey", "publicKeyFingerprint",
                "decision",
            ]
        ),
    ]

    @Test("limits of assertions default to a day and no single use, and are rejected for other kinds")
    func assertionLimits() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            for (index, item) in Self.bodies.enumerated() {
                func post(_ more: String) async throws -> Reply {
                    try await api.call(.post, Self.path, #"{"name":"l \#(index)",\#(item.body)\#(more)}"#)
                }
                guard item.members.contains("singleUse") else {
                    for member in [#""singleUse":false"#, #""singleUse":null"#, #""maxLifetimeSeconds":60"#] {
                        let refused = try await post("," + member)
                        refused.expectProblem(422, "invalid_request")
                        let detail = refused["errors"]?[0]?["detail"]?.string
                        #expect(detail == "is not a member of the kind \(item.kind)")
                    }
                    continue
                }
                let wrong: [(String, String)] = [
                    (#""maxLifetimeSeconds":0"#, "must be 1 to 31536000"),
                    (#""maxLifetimeSeconds":31536001"#, "must be 1 to 31536000"),
                    (#""maxLifetimeSeconds":"60""#, "must be a whole number"),
                    (#""singleUse":1"#, "must be true or false"),
                ]
                for (member, detail) in wrong {
                    #expect(try await post("," + member)["errors"]?[0]?["detail"]?.string == detail)
                }
                let made = try await post(#","maxLifetimeSeconds":31536000,"singleUse":true"#)
                #expect(made.status == 201, "\(made.text)")
                let path = Self.path + "/" + (try #require(made["id"]?.string))
                let listed = try await api.call(.get, Self.path + "?kind=\(item.kind)&limit=500")
                let items = try #require(listed["items"]).items
                for shown in [try made.json(), try await api.call(.get, path).json()]
                    + items.filter({ $0["id"] == made["id"] })
                {
                    #expect(shown["maxLifetimeSeconds"]?.int == 31_536_000 && shown["singleUse"]?.bool == true)
                }
                #expect(try await api.call(.delete, path).status == 204)
                let usual = try await api.call(
                    .post,
                    Self.path,
                    #"{"name":"u \#(index)",\#(item.body),"maxLifetimeSeconds":null}"#
                )
                #expect(usual["maxLifetimeSeconds"]?.int == 86_400 && usual["singleUse"]?.bool == false)
                let audit = try await api.call(.get, "/v1/brands/acme/audit?limit=1")
                let changes = try #require(audit["items"]?[0]?["changes"]).items.compactMap(\.string)
                #expect(Set(changes).isSuperset(of: ["maxLifetimeSeconds", "singleUse"]), "\(audit.text)")
            }
        }
    }

    @Test("R205: each kind is created, returned and listed without its secret, and its secret is returned once")
    func kinds() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            var ids: [String: [String]] = [:]
            for (index, item) in Self.bodies.enumerated() {
                let made = try await api.call(.post, Self.path, #"{"name":"n \#(index)",\#(item.body)}"#)
                #expect(made.status == 201, "\(made.text)")
                #expect(made.headers[.cacheControl] == "no-store")
                let common: Set<String> = ["id", "kind", "name", "createdAt", "expiresAt"]
                #expect(try made.json().names == common.union(item.members))
                let id = try #require(made["id"]?.string)
                ids[item.kind, default: []].append(id)
                #expect(made.headers[.location] == Self.path + "/" + id)
                let shown = try await api.call(.get, Self.path + "/" + id)
                #expect(try shown.json().names == common.union(item.members).subtracting(["secret"]))
                #expect(shown["kind"]?.string == item.kind && shown["name"]?.string == "n \(index)")
                if let secret = made["secret"]?.string { #expect(secret.utf8.count >= 43) }
                for secret in [made["secret"]?.string, "PRIVATE KEY", "CLIENT-SECRET"].compactMap(\.self) {
                    #expect(!shown.text.contains(secret))
                }
            }
            let all = try await api.call(.get, Self.path)
            #expect(try all.json()["items"]?.items.count == Self.bodies.count)
            for secret in ["\"secret\"", "PRIVATE KEY", "CLIENT-SECRET"] { #expect(!all.text.contains(secret)) }
            for (kind, expected) in ids {
                let found = try await api.call(.get, Self.path + "?kind=" + kind)
                let listed = try found.json()["items"]?.items.compactMap { $0["id"]?.string } ?? []
                #expect(Set(listed) == Set(expected))
            }
            let wrong = try await api.call(.get, Self.path + "?kind=other")
            wrong.expectProblem(422, "invalid_request")
            #expect(wrong.pointers == ["/kind"])
        }
    }

    @Test("the public key of an imported private key is derived")
    func imported() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let made = try await api.call(
                .post,
                Self.path,
                #"{"name":"x","kind":"jweKey","algorithm":"ECDH-ES","privateKey":"\#(Self.privatePEM)"}"#
            )
            let shown = try #require(made["publicKey"]?.string).filter { $0 != "\n" }
            #expect(shown == Self.key.publicKey.pemRepresentation.filter { $0 != "\n" })
            let fingerprint = SHA256.hash(data: Self.key.publicKey.derRepresentation)
                .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            #expect(made["publicKeyFingerprint"]?.string == fingerprint)
        }
    }

    @Test("R190: a revoked credential is rejected before the 204, and the second of its kind stays valid")
    func rotation() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let first = try await api.makeAccount("acme", "brand:admin")
            let second = try await api.makeAccount("acme", "brand:admin")
            guard case .basic(let id, _) = first else {
                Issue.record("a credential of another kind")
                return
            }
            #expect(try await api.call(.get, "/v1/brands/acme", as: first).status == 200)
            #expect(try await api.call(.delete, Self.path + "/" + id, as: second).status == 204)
            try await api.call(.get, "/v1/brands/acme", as: first).expectProblem(401, "unauthorized")
            #expect(try await api.call(.get, "/v1/brands/acme", as: second).status == 200)
            try await api.call(.get, Self.path + "/" + id, as: second).expectProblem(404, "not_found")
            try await api.call(.delete, Self.path + "/" + id, as: second).expectProblem(404, "not_found")
        }
    }

    @Test("R19: credentials are for the brand's administrators only, and those of another brand are 404")
    func whoMay() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            let reader = try await api.makeAccount("acme", "events:write", "deliveries:read", "consumers:write")
            let owner = try await api.makeAccount("acme", "brand:admin")
            let stranger = try await api.makeAccount("other", "brand:admin")
            guard case .basic(let id, _) = owner else {
                Issue.record("a credential of another kind")
                return
            }
            let one = Self.path + "/" + id
            for (method, path, body) in [
                (HTTPRequest.Method.get, Self.path, nil), (.get, one, nil), (.delete, one, nil),
                (.post, Self.path, #"{"kind":"apiKey","name":"x"}"#),
            ] {
                try await api.call(method, path, as: .none, body).expectProblem(401, "unauthorized")
                try await api.call(method, path, as: stranger, body).expectProblem(401, "unauthorized")
                try await api.call(method, path, as: reader, body).expectProblem(403, "forbidden")
            }
            try await api.call(.get, "/v1/brands/other/credentials/" + id).expectProblem(404, "not_found")
            try await api.call(.delete, "/v1/brands/other/credentials/" + id).expectProblem(404, "not_found")
            #expect(try await api.call(.get, one, as: owner).status == 200)
        }
    }

    @Test(
        "an invalid credential is rejected with all invalid members, and no value is returned",
        arguments: [
            (#"{"name":"x"}"#, ["/kind"]), (#"{"kind":"other","name":"x"}"#, ["/kind"]),
            (#"{"kind":5,"name":"","expiresAt":"soon"}"#, ["/kind", "/name", "/expiresAt"]),
            (#"{"kind":"serviceAccount","name":"x"}"#, ["/scopes"]),
            (#"{"kind":"serviceAccount","name":"x","scopes":[]}"#, ["/scopes"]),
            (#"{"kind":"serviceAccount","name":"","scopes":["all"]}"#, ["/name", "/scopes/0"]),
            (#"{"kind":"serviceAccount","name":"x","scopes":["events:read"],"secret":"SECRET"}"#, ["/secret"]),
            (#"{"kind":"apiKey","name":"x","scopes":["events:read"],"sekret":1}"#, ["/scopes", "/sekret"]),
            (#"{"kind":"sdkKey","name":"x","secret":"short"}"#, ["/secret"]),
            (#"{"kind":"sdkKey","name":"x","algorithm":"none"}"#, ["/algorithm"]),
            (#"{"kind":"sdkKey","name":"x","app":"nope"}"#, ["/app"]),
            (#"{"kind":"sdkKey","name":"x","expiresAt":"2020-01-01T00:00:00Z"}"#, ["/expiresAt"]),
            (#"{"kind":"jwtIssuer","name":"x"}"#, ["/issuer", "/algorithm", "/publicKey"]),
            (
                #"{"kind":"jwtIssuer","name":"x","issuer":"","algorithm":"ES256","publicKey":"\#(otherCurve)"}"#,
                ["/issuer", "/publicKey"]
            ),
            (
                #"{"kind":"jwtIssuer","name":"x","issuer":"i","algorithm":"RS256","publicKey":"\#(publicPEM)"}"#,
                ["/publicKey"]
            ),
            (
                #"{"kind":"jwtIssuer","name":"x","issuer":"i","algorithm":"ES256","publicKey":"\#(privatePEM)"}"#,
                ["/publicKey"]
            ),
            (
                #"{"kind":"jwtIssuer","name":"x","issuer":"i","algorithm":"ES256","publicKey":"\#(publicPEM)","#
                    + #""jwksUrl":"https://i.example"}"#, ["/publicKey"]
            ),
            (
                #"{"kind":"jwtIssuer","name":"x","issuer":"i","algorithm":"HS256","jwksUrl":"http://i.example"}"#,
                ["/algorithm", "/jwksUrl"]
            ),
            (#"{"kind":"jweKey","name":"x","algorithm":"dir"}"#, ["/algorithm"]),
            (#"{"kind":"jweKey","name":"x","algorithm":"RSA-OAEP","privateKey":"\#(privatePEM)"}"#, ["/privateKey"]),
            (#"{"kind":"jweKey","name":"x","algorithm":"ECDH-ES","privateKey":"SECRET"}"#, ["/privateKey"]),
            (
                #"{"kind":"identityProvider","name":"x"}"#,
                [
                    "/issuer", "/tokenEndpoint", "/clientId", "/clientSecret", "/clientAuth", "/redirectUris", "/pkce",
                    "/algorithm", "/publicKey",
                ]
            ),
            (
                #"{"name":"x",\#(provider.replacing("basic", with: "none").replacing("app://cb", with: "/cb#x"))}"#,
                ["/clientAuth", "/redirectUris/0", "/publicKey"]
            ),
            (
                #"{"name":"x",\#(provider.replacing("https://idp.example/token", with: "http://idp.example")),"#
                    + #""jwksUrl":"ftp://x"}"#, ["/tokenEndpoint", "/jwksUrl"]
            ),
            (
                #"{"name":"x",\#(provider.replacing("https://idp.example/token", with: "https://10.0.0.1/token")),"#
                    + #""jwksUrl":"https://169.254.169.254/keys"}"#, ["/tokenEndpoint", "/jwksUrl"]
            ),
            (
                #"{"name":"x",\#(provider.replacing("https://idp.example/token", with: "https://0x7f.1/token")),"#
                    + #""jwksUrl":"https://[fd00::1]/keys"}"#, ["/tokenEndpoint", "/jwksUrl"]
            ),
            (#"{"name":"x",\#(broker.replacing("https://t.example", with: "https://192.168.0.1"))}"#, ["/tokenUrl"]),
            (#"{"kind":"customerTokenKey","name":"x","secret":"SECRET"}"#, ["/secret"]),
            (
                #"{"kind":"tokenBroker","name":"x"}"#,
                ["/app", "/tokenUrl", "/clientId", "/keyId", "/scope", "/privateKey"]
            ),
            (
                #"{"name":"x",\#(broker)\#(decision("https://10.0.0.1/", "whsec_short"))}"#,
                ["/decision/url", "/decision/secret"]
            ),
            (
                #"{"name":"x",\#(broker),"decision":{"uri":"x"}}"#,
                ["/decision/uri", "/decision/url", "/decision/secret"]
            ),
            (#"{"name":"x",\#(broker.replacing(#""ios""#, with: #""nope""#))}"#, ["/app"]),
            (#"{"name":"x",\#(broker.replacing(#"https://t"#, with: #"http://t"#))}"#, ["/tokenUrl"]),
        ]
    )
    func bad(_ body: String, _ pointers: [String]) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let reply = try await api.call(.post, Self.path, body)
            reply.expectProblem(422, "invalid_request")
            #expect(reply.pointers == pointers)
            for secret in ["SECRET", "PRIVATE KEY", "BEGIN"] { #expect(!reply.text.contains(secret)) }
            #expect(try await api.call(.get, Self.path).json()["items"]?.items.isEmpty == true)
        }
    }
}
