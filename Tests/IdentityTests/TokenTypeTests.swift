import GatewayModel
import Testing

@testable import Identity

@Suite("A token of another kind is not a login, for any signer", .timeLimit(.minutes(10)))
struct TokenTypeTests {
    /// The header's `typ` as JSON, and whether it stands for JWT (RFC 7515 section 4.1.9).
    private static let types: [(String, Bool)] = [
        (#""JWT""#, true), (#""jwt""#, true), (#""application/jwt""#, true), (#""Application/JWT""#, true),
        (#""at+jwt""#, false), (#""application/at+jwt""#, false), (#""logout+jwt""#, false), (#""dpop+jwt""#, false),
        (#""secevent+jwt""#, false), (#""JOSE""#, false), (#""""#, false), (#""text/jwt""#, false), (#""JWT ""#, false),
        (#""jwt; a=b""#, false), (#""application/application/jwt""#, false), ("null", false), ("7", false),
        (#"["JWT"]"#, false),
    ]

    private static func rejection(_ gateway: Gateway, _ token: String) async -> AuthenticationError? {
        do {
            _ = try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme)
            return nil
        } catch { return error }
    }

    @Test("typ is JWT or absent (RFC 8725 section 3.11)")
    func types() async throws {
        try await Gateway.with { gateway in
            try await gateway.issuer()
            try await gateway.sdkKey("main")
            for (type, isTaken) in Self.types {
                let expected: AuthenticationError? = isTaken ? nil : .tokenInvalid(.malformed)
                let issued = try Issuer.token(header: #"{"alg":"RS256","typ":\#(type)}"#)
                #expect(await Self.rejection(gateway, issued) == expected, "issuer, \(type)")
                let signed = Signer.token(header: #"{"alg":"HS256","typ":\#(type)}"#)
                #expect(await Self.rejection(gateway, signed) == expected, "SDK key, \(type)")
            }
        }
    }

    @Test("a logout token or another security event is rejected, also an expired one", arguments: ["{}", "null"])
    func events(_ events: String) async throws {
        try await Gateway.with { gateway in
            try await gateway.issuer()
            for changes in [[:], ["exp": "1"]] as [[String: String?]] {
                let claims = Issuer.claims(changes.merging(["events": events]) { $1 })
                let token = try Issuer.token(claims: claims)
                #expect(await Self.rejection(gateway, token) == .tokenInvalid(.malformed))
            }
        }
    }
}
