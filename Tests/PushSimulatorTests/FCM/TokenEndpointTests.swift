import Cryptography
import PushSimulator
import Testing
import TextFormats

@Suite struct TokenEndpointTests {
    static let now = SimulatorTime(seconds: 1_800_000_000)
    static let email = "gateway@bank.iam.gserviceaccount.com"
    static let audience = "https://localhost:2198/token"
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    static let jwtBearer = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"

    static let key = Result { try RSA.PrivateKey(bitCount: 2048) }

    static func endpoint() throws -> TokenEndpoint {
        let account = ServiceAccountKey(
            clientEmail: email,
            keyID: "k1",
            projectID: "bank",
            publicKey: try key.get().publicKey
        )
        return TokenEndpoint(keys: [account], audiences: [audience])
    }

    static let goodHeader: [String: JSONValue] = [
        "alg": .string("RS256"), "typ": .string("JWT"), "kid": .string("k1"),
    ]
    static let goodClaims: [String: JSONValue] = [
        "iss": .string(email), "scope": .string(scope), "aud": .string(audience),
        "iat": .integer(now.seconds), "exp": .integer(now.seconds + 3600),
    ]

    static func assertion(header: [String: JSONValue] = goodHeader, claims: [String: JSONValue] = goodClaims) throws
        -> String
    {
        func object(_ members: [String: JSONValue]) -> JSONValue {
            .object(members.map { .init(name: $0.key, value: $0.value) })
        }
        let input = CompactJWS.signingInput(header: object(header), claims: object(claims))
        let signature = try key.get().signature(for: Array(input.utf8), padding: .pkcs1)
        return input + "." + StrictBase64.encode(signature, .url)
    }

    static func verdict(
        form: String,
        method: String = "POST",
        contentType: String = "application/x-www-form-urlencoded"
    ) throws -> (verdict: PushVerdict, issued: (token: String, grant: AccessGrant)?) {
        let request = SimulatorRequest(
            method: method,
            path: "/token",
            headers: [("content-type", contentType)],
            body: Array(form.utf8)
        )
        return try endpoint().verdict(on: request, at: now)
    }

    @Test("a valid assertion gets a bearer token for the account's project")
    func accepted() throws {
        let form = "grant_type=\(Self.jwtBearer)&assertion=\(try Self.assertion())"
        let (verdict, issued) = try Self.verdict(
            form: form,
            contentType: "application/x-www-form-urlencoded; charset=UTF-8"
        )
        #expect(verdict.reply.status == 200)
        let response = try JSONValue(parsing: verdict.reply.body)
        #expect(response["token_type"] == .string("Bearer"))
        #expect(response["expires_in"] == .integer(3600))
        let grant = try #require(issued)
        #expect(response["access_token"] == .string(grant.token))
        #expect(grant.grant.projectID == "bank")
        #expect(grant.grant.scopes == [Self.scope])
        #expect(grant.grant.expires.seconds == Self.now.seconds + 3600)
    }

    @Test("no two tokens are the same")
    func tokensDiffer() throws {
        let form = "grant_type=\(Self.jwtBearer)&assertion=\(try Self.assertion())"
        #expect(try Self.verdict(form: form).issued?.token != Self.verdict(form: form).issued?.token)
    }

    static let wrongParts: [(name: String, header: [String: JSONValue], claims: [String: JSONValue], error: String)] = [
        ("another algorithm", ["alg": .string("PS256")], [:], "invalid_grant"),
        ("an unknown key", ["kid": .string("k2")], [:], "invalid_grant"),
        ("another account", [:], ["iss": .string("x@bank.iam.gserviceaccount.com")], "invalid_grant"),
        ("another audience", [:], ["aud": .string("https://localhost:1/token")], "invalid_grant"),
        ("too long a life", [:], ["exp": .integer(now.seconds + 3601)], "invalid_grant"),
        ("no exp", [:], ["exp": .null], "invalid_grant"),
        (
            "expired", [:],
            ["iat": .integer(now.seconds - 3901), "exp": .integer(now.seconds - 301)], "invalid_grant"
        ),
        (
            "made in the future", [:],
            ["iat": .integer(now.seconds + 301), "exp": .integer(now.seconds + 3600)], "invalid_grant"
        ),
        ("no scope", [:], ["scope": .null], "invalid_scope"),
        ("a scope of nobody", [:], ["scope": .string("messaging")], "invalid_scope"),
    ]

    @Test("an assertion with one wrong part is rejected", arguments: wrongParts.indices)
    func refused(index: Int) throws {
        let row = Self.wrongParts[index]
        let assertion = try Self.assertion(
            header: Self.goodHeader.merging(row.header) { _, changed in changed },
            claims: Self.goodClaims.merging(row.claims) { _, changed in changed }
        )
        let (verdict, issued) = try Self.verdict(form: "grant_type=\(Self.jwtBearer)&assertion=\(assertion)")
        #expect(verdict.reply.status == 400, "\(row.name)")
        #expect(try JSONValue(parsing: verdict.reply.body)["error"] == .string(row.error), "\(row.name)")
        #expect(verdict.reason == row.error)
        #expect(issued == nil)
    }

    @Test("a changed signature is rejected")
    func signature() throws {
        let assertion = try Self.assertion()
        let changed = assertion.dropLast(8) + (assertion.hasSuffix("AAAAAAAA") ? "BBBBBBBB" : "AAAAAAAA")
        let (verdict, _) = try Self.verdict(form: "grant_type=\(Self.jwtBearer)&assertion=\(changed)")
        #expect(verdict.reason == "invalid_grant")
    }

    @Test(
        "another content type or form is rejected",
        arguments: [
            ("grant_type=client_credentials&assertion=x", "unsupported_grant_type"),
            ("assertion=x", "invalid_request"),
            ("grant_type=\(jwtBearer)", "invalid_request"),
            ("grant_type=\(jwtBearer)&assertion=a&assertion=b", "invalid_request"),
            ("grant_type=%zz", "invalid_request"),
            ("grant_type=\(jwtBearer)&assertion=a.b", "invalid_grant"),
        ]
    )
    func forms(form: String, error: String) throws {
        #expect(try Self.verdict(form: form).verdict.reason == error)
    }

    @Test("only POST of a form is accepted")
    func requests() throws {
        let form = "grant_type=\(Self.jwtBearer)&assertion=\(try Self.assertion())"
        #expect(try Self.verdict(form: form, method: "GET").verdict.reason == "invalid_request")
        #expect(try Self.verdict(form: form, contentType: "application/json").verdict.reason == "invalid_request")
    }
}
