import Cryptography
import Testing
import TextFormats

@testable import PushSimulator

@Suite("The simulated Talkdesk")
struct TalkdeskTests {
    private static let now = SimulatorTime(seconds: 1_800_000_000)
    private static let key = P256.PrivateKey()
    private static let goodClaims: [JSONValue.JSONMember] = [
        .init(name: "jti", value: .string("j-1")), .init(name: "iss", value: .string("c")),
        .init(name: "sub", value: .string("c")),
        .init(name: "aud", value: .string("https://t.example/talkdesk/oauth/token")),
        .init(name: "iat", value: .integer(1_800_000_000)), .init(name: "exp", value: .integer(1_800_000_300)),
    ]

    private static func talkdesk() -> SimulatedTalkdesk {
        let talkdesk = SimulatedTalkdesk()
        talkdesk.register([
            TalkdeskClient(id: "c", keyID: "k", publicKey: key.publicKey, decisionKey: Array("secret".utf8))
        ])
        return talkdesk
    }

    /// Requests a token with a changed claim, header or field.
    private static func ask(
        _ talkdesk: SimulatedTalkdesk = talkdesk(),
        claim: JSONValue.JSONMember? = nil,
        algorithm: String = "ES256",
        keyID: String = "k",
        key: P256.PrivateKey = key,
        field: (name: String, value: String)? = nil
    ) throws -> PushVerdict {
        let claims = goodClaims.filter { $0.name != claim?.name } + [claim].compactMap(\.self)
        let assertion = try CompactJWS.signed(
            header: .object([
                .init(name: "alg", value: .string(algorithm)), .init(name: "kid", value: .string(keyID)),
            ]),
            claims: .object(claims.filter { $0.value != .null }),
            with: key
        )
        let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        let usual = [
            ("grant_type", "client_credentials"), ("scope", SimulatedTalkdesk.scope), ("client_id", "c"),
            ("client_assertion_type", type), ("client_assertion", assertion),
        ]
        let form = usual.map { name, value in
            name + "=" + PercentEncoding.encode((field?.name == name ? field?.value ?? "" : value).utf8, .form)
        }
        let request = SimulatorRequest(
            method: "POST",
            path: SimulatedTalkdesk.tokenPath,
            headers: [("content-type", "application/x-www-form-urlencoded"), ("host", "t.example")],
            body: Array(form.joined(separator: "&").utf8)
        )
        return talkdesk.verdict(on: request, at: now)
    }

    @Test("issues a token for an assertion, once for each")
    func once() throws {
        let talkdesk = Self.talkdesk()
        let verdict = try Self.ask(talkdesk)
        let json = try JSONValue(parsing: verdict.reply.body)
        #expect(verdict.isAccepted && verdict.reply.status == 200)
        #expect(json["token_type"]?.stringValue == "Bearer" && json["access_token"]?.stringValue?.isEmpty == false)
        #expect(try Self.ask(talkdesk).reason == "invalid_client")
        #expect(try Self.ask(talkdesk, claim: .init(name: "jti", value: .string("j-2"))).isAccepted)
    }

    @Test(
        "rejects an assertion with one wrong or missing claim",
        arguments: [
            ("jti", JSONValue.null), ("jti", .string("")), ("iss", .string("d")), ("iss", .null), ("sub", .string("d")),
            ("aud", .string("https://other.example/talkdesk/oauth/token")), ("aud", .null), ("iat", .null),
            ("iat", .integer(1_800_000_061)), ("exp", .integer(1_800_000_301)), ("exp", .integer(1_800_000_000)),
            ("exp", .string("1800000300")), ("exp", .null),
        ]
    )
    func claims(name: String, value: JSONValue) throws {
        let verdict = try Self.ask(claim: .init(name: name, value: value))
        #expect(verdict.reason == "invalid_client" && verdict.reply.status == 401)
    }

    @Test("rejects another key, algorithm, client, grant or scope")
    func others() throws {
        #expect(try Self.ask(key: P256.PrivateKey()).reason == "invalid_client")
        #expect(try Self.ask(algorithm: "HS256").reason == "invalid_client")
        #expect(try Self.ask(keyID: "other").reason == "invalid_client")
        for (name, value, reason) in [
            ("client_id", "d", "invalid_client"), ("client_id", "", "invalid_request"),
            ("grant_type", "authorization_code", "unsupported_grant_type"), ("scope", "x", "invalid_scope"),
            ("scope", "", "invalid_request"), ("client_assertion_type", "x", "invalid_client"),
            ("client_assertion", "a.b.c", "invalid_client"),
        ] {
            #expect(try Self.ask(field: (name, value)).reason == reason, "\(name)")
        }
    }

    @Test("takes a question only with a valid signature", arguments: ["secret", "other"])
    func decision(secret: String) {
        let talkdesk = Self.talkdesk()
        let body = Array(#"{"type":"access.requested"}"#.utf8)
        let signed = Array("m.1800000000.".utf8) + body
        let code = HMAC<SHA256>.authenticationCode(for: signed, using: Array(secret.utf8))
        let request = SimulatorRequest(
            method: "POST",
            path: SimulatedTalkdesk.decisionPath,
            headers: [
                ("content-type", "application/json"), ("webhook-id", "m"), ("webhook-timestamp", "1800000000"),
                ("webhook-signature", "v1," + StrictBase64.encode(Array(code), .standard)),
            ],
            body: body
        )
        let verdict = talkdesk.verdict(on: request, at: Self.now)
        #expect(verdict.isAccepted == (secret == "secret"))
        #expect(talkdesk.questions.count == (secret == "secret" ? 1 : 0))
    }

    @Test(
        "clients are parsed strictly",
        arguments: ["{}", "[7]", "[{}]", #"[{"clientId":"c","keyId":"k","publicKey":"x"}]"#]
    )
    func parsing(text: String) throws {
        #expect(throws: RuleError.self) { try TalkdeskClient.parse(Array(text.utf8)) }
        let pem = Self.key.publicKey.pemRepresentation.replacing("\n", with: "\\n")
        let good = #"[{"clientId":"c","keyId":"k","publicKey":"\#(pem)","decisionSecret":"whsec_c2VjcmV0"}]"#
        let clients = try TalkdeskClient.parse(Array(good.utf8))
        #expect(clients.map(\.id) == ["c"] && clients.first?.decisionKey == Array("secret".utf8))
    }
}
