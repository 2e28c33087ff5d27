import Foundation
import GatewayModel
import GatewayStorage
import Testing
import TextFormats

@testable import Identity

@Suite("Limits of a credential's assertions", .timeLimit(.minutes(10)))
struct AssertionLimitTests {
    private static let start = Gateway.start

    /// A function that verifies tokens of one credential.
    private typealias Verify = ([String: String?]) async throws -> VerifiedAssertion

    /// Returns each kind of credential that verifies tokens, with the same limits.
    private static func kinds(_ gateway: Gateway, _ limits: AssertionLimits) async throws -> [(String, Verify)] {
        let verifier = gateway.verifier
        _ = try await gateway.directory.issue(
            .sdkKey(algorithm: .hs256, secret: Signer.secret, app: nil, limits: limits),
            brand: Gateway.acme,
            name: "main"
        )
        var issuer = Issuer.details()
        issuer.limits = limits
        try await gateway.issuer(issuer)
        var details = IdentityProviderDetails(
            issuer: Issuer.name,
            issuerDisplayName: nil,
            tokenEndpoint: "https://login.example/token",
            clientId: "client-1",
            clientAuth: .basic,
            redirectUris: ["app://callback"],
            pkce: .required,
            key: Issuer.details().key
        )
        details.limits = limits
        let provider = details
        let issued = try await gateway.directory.issue(
            .identityProvider(provider, clientSecret: "secret"),
            brand: Gateway.acme,
            name: "idp"
        )
        return [
            (
                "sdkKey",
                {
                    let token = Signer.token(claims: Signer.claims($0))
                    return try await verifier.verify(token, keyName: nil, brand: Gateway.acme)
                }
            ),
            (
                "sdkKey by its name alone",
                {
                    try verifier.verify(Signer.token(claims: Signer.claims($0)), sdkKeyName: "main")
                }
            ),
            (
                "jwtIssuer",
                {
                    let token = try Issuer.token(claims: Issuer.claims($0))
                    return try await verifier.verify(token, keyName: nil, brand: Gateway.acme)
                }
            ),
            (
                "identityProvider",
                { changes in
                    let claims = Issuer.claims(["aud": #""client-1""#].merging(changes) { $1 })
                    return try await verifier.verifyIDToken(
                        try Issuer.token(claims: claims),
                        of: provider,
                        credentialID: issued.summary.id,
                        brand: Gateway.acme,
                        clientID: "client-1"
                    )
                }
            ),
        ]
    }

    private static func rejection(_ verify: Verify, _ changes: [String: String?]) async -> AuthenticationError? {
        do {
            _ = try await verify(changes)
            return nil
        } catch { return error as? AuthenticationError }
    }

    @Test("one that is valid for longer than its credential allows is rejected at any time")
    func lifetime() async throws {
        try await Gateway.with { gateway in
            for (kind, verify) in try await Self.kinds(gateway, AssertionLimits(maxLifetimeSeconds: 600)) {
                let table: [(iat: Int64, exp: Int64, rejection: AuthenticationError?)] = [
                    (0, 600, nil), (0, 601, .tokenInvalid(.lifetime)), (-300, 300, nil),
                    (-300, 301, .tokenInvalid(.lifetime)), (60, 660, nil), (60, 661, .tokenInvalid(.lifetime)),
                    (10, 5, nil), (-700, -100, .tokenExpired),
                    // It would be rejected for ever, which comes before an error that time resolves.
                    (-700, -99, .tokenInvalid(.lifetime)), (3600, 4201, .tokenInvalid(.lifetime)),
                    (3600, 4200, .tokenInvalid(.notYetValid)),
                ]
                for (iat, exp, rejection) in table {
                    let claims = ["iat": "\(Self.start + iat)", "exp": "\(Self.start + exp)"]
                    #expect(await Self.rejection(verify, claims) == rejection, "\(kind) \(iat) \(exp)")
                }
                let ages: [String: String?] = ["iat": "0", "exp": "99999999999"]
                #expect(await Self.rejection(verify, ages) == .tokenInvalid(.lifetime), "\(kind)")
                #expect(await Self.rejection(verify, ["iat": nil]) == .missingClaim("iat"), "\(kind)")
            }
        }
    }

    @Test("a credential without limits, as in all earlier versions, accepts the same tokens as before")
    func unlimited() async throws {
        let stored = [
            #"{"kind":"sdkKey","algorithm":"HS256"}"#,
            #"{"kind":"jwtIssuer","issuer":"i","algorithm":"RS256","jwksUrl":"https://i.example/jwks"}"#,
            """
            {"kind":"identityProvider","issuer":"i","tokenEndpoint":"https://i.example/t","clientId":"c","clientAuth":"basic",
            "redirectUris":[],"pkce":"required","algorithm":"RS256","jwksUrl":"https://i.example/jwks"}
            """,
        ]
        for text in stored {
            let details = try JSONDecoder().decode(CredentialDetails.self, from: Data(text.utf8))
            let limits: AssertionLimits? =
                switch details {
                case .sdkKey(_, _, let limits): limits
                case .jwtIssuer(let issuer): issuer.limits
                case .identityProvider(let provider): provider.limits
                default: nil
                }
            #expect(limits == AssertionLimits())
        }
        try await Gateway.with { gateway in
            for (kind, verify) in try await Self.kinds(gateway, AssertionLimits()) {
                for claims in [["iat": "0", "exp": "99999999999"], ["jti": "7"], ["jti": #""""#]] as [[String: String?]]
                {
                    #expect(try await verify(claims).presentation == nil, "\(kind)")
                }
            }
        }
    }

    @Test("limits are stored with the credential")
    func kept() async throws {
        try await Gateway.with { gateway in
            let limits = AssertionLimits(maxLifetimeSeconds: 17, singleUse: true)
            _ = try await Self.kinds(gateway, limits)
            let reloaded = try await gateway.reloaded()
            let details = reloaded.credentials(brand: Gateway.acme).map(\.details)
            #expect(details.count == 3)
            for details in details {
                switch details {
                case .sdkKey(_, _, let found): #expect(found == limits)
                case .jwtIssuer(let issuer): #expect(issuer.limits == limits)
                case .identityProvider(let provider): #expect(provider.limits == limits)
                default: Issue.record("\(details)")
                }
            }
        }
    }

    @Test("a single-use assertion is recorded by its jti, which is required, for each brand and credential")
    func presentation() async throws {
        try await Gateway.with { gateway in
            var hashes: Set<[UInt8]> = []
            for (kind, verify) in try await Self.kinds(gateway, AssertionLimits(singleUse: true)) {
                let table: [(jti: String?, reason: TokenInvalidReason?)] = [
                    (nil, .missingClaim), ("null", .missingClaim), ("7", .malformed), ("[]", .malformed),
                    (#""""#, .malformed), ("\"\(String(repeating: "j", count: 257))\"", .malformed),
                    ("\"\(String(repeating: "j", count: 256))\"", nil), (#""\u0000""#, nil),
                    // Canonically equivalent strings are two ids.
                    (#""\u00e9""#, nil), (#""e\u0301""#, nil),
                ]
                for (jti, reason) in table {
                    let found = await Self.rejection(verify, ["jti": jti])
                    #expect(found?.withoutName == reason.map { .tokenInvalid($0) }, "\(kind) \(jti ?? "")")
                    guard reason == nil else { continue }
                    let code = try #require(try await verify(["jti": jti]).presentation)
                    #expect(code.hash.count == 32)
                    #expect(code.keptFrom == Timestamp(milliseconds: (Self.start + 600) * 1000))
                    // Only the jti counts.
                    let later: [String: String?] = ["jti": jti, "exp": "\(Self.start + 700)"]
                    #expect(try await verify(later).presentation?.hash == code.hash)
                    if kind != "sdkKey by its name alone" { #expect(hashes.insert(code.hash).inserted, "\(kind)") }
                }
            }
        }
    }

    @Test("an assertion that the gateway signs with such a key is accepted")
    func signed() async throws {
        try await Gateway.with { gateway in
            _ = try await gateway.directory.issue(
                .sdkKey(
                    algorithm: .hs256,
                    secret: Signer.secret,
                    app: nil,
                    limits: AssertionLimits(maxLifetimeSeconds: 60, singleUse: true)
                ),
                brand: Gateway.acme,
                name: "main"
            )
            let signer = AssertionSigner(directory: gateway.directory, clock: gateway.clock)
            var hashes: Set<[UInt8]> = []
            for _ in 1...3 {
                let token = try signer.sign(
                    [:],
                    of: ConsumerID(trusted: "u-1"),
                    ConsumerProfile(),
                    for: nil,
                    brand: Gateway.acme,
                    app: nil
                )
                let found = try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme)
                #expect(found.consumer.rawValue == "u-1")
                let code = try #require(found.presentation)
                #expect(code.keptFrom == Timestamp(milliseconds: (Self.start + 60) * 1000))
                #expect(hashes.insert(code.hash).inserted)
            }
        }
    }
}
