import Crypto
import Foundation
import GatewayModel
import TestSupport
import Testing

@testable import Identity

@Suite("Hostile and broken tokens of issuers are rejected, each with its reason", .timeLimit(.minutes(10)))
struct HostileIssuerTokenTests {
    /// A token and the reason of its rejection; nil means expired.
    struct Case {
        let name: String
        let reason: TokenInvalidReason?
        let token: () throws -> String

        init(_ name: String, _ reason: TokenInvalidReason?, _ token: @escaping () throws -> String) {
            self.name = name
            self.reason = reason
            self.token = token
        }
    }

    private static let start = Gateway.start

    private static func claims(_ name: String, _ changes: [String: String?], _ reason: TokenInvalidReason?) -> Case {
        Case(name, reason) { try Issuer.token(claims: Issuer.claims(changes)) }
    }

    /// Returns the parts with a valid signature over them as they are.
    private static func signed(_ head: String, _ body: String) throws -> String {
        let input = head + "." + body
        return input + "." + Signer.base64URL(try Issuer.signature(.rs256, input))
    }

    private static func text(_ text: String) -> String { Signer.base64URL(Array(text.utf8)) }

    static var algorithms: [Case] {
        ["none", "None", "NONE", "nOnE", "", "rs256", "RS256 ", "RS384", "PS256", "ES256", "HS256", "RSA-OAEP"].map {
            name in
            Case("alg \(name)", .wrongAlgorithm) { try Issuer.token(header: #"{"alg":"\#(name)"}"#) }
        } + [
            Case("no alg", .wrongAlgorithm) { try Issuer.token(header: "{}") },
            Case("none without a signature", .wrongAlgorithm) {
                text(#"{"alg":"none"}"#) + "." + text(Issuer.claims()) + "."
            },
            Case("HS256 with the public key's PEM as its secret", .wrongAlgorithm) {
                Signer.token(claims: Issuer.claims(), secret: Issuer.rsa.publicPEM)
            },
            Case("HS256 with the public key's PEM, called RS256", .badSignature) {
                Signer.token(header: #"{"alg":"RS256"}"#, claims: Issuer.claims(), secret: Issuer.rsa.publicPEM)
            },
            Case("RS256 for an SDK key", .wrongAlgorithm) {
                try Issuer.token(claims: Issuer.claims(["iss": #""main""#]))
            },
            Case("PS256 signed as it says", .wrongAlgorithm) { try Issuer.token(.ps256) },
            Case("PS256 called RS256", .badSignature) { try Issuer.token(.ps256, header: #"{"alg":"RS256"}"#) },
        ]
    }

    static var times: [Case] {
        [
            claims("iat missing", ["iat": nil], .missingClaim), claims("exp missing", ["exp": nil], .missingClaim),
            claims("sub missing", ["sub": nil], .missingClaim), claims("sub null", ["sub": "null"], .missingClaim),
            claims("iss missing", ["iss": nil], .missingClaim),
            claims("sub missing and expired", ["sub": nil, "exp": "1"], .missingClaim),
            claims("exp text", ["exp": "\"\(start + 600)\""], .malformed),
            claims("exp milliseconds", ["exp": "\((start + 600) * 1000)"], .malformed),
            claims("iat milliseconds", ["iat": "\(start * 1000)"], .malformed),
            claims("exp fractional text", ["exp": "\"\(start + 600).5\""], .malformed),
            claims("expired", ["exp": "\(start - 5)"], nil),
            claims("iat beyond the skew", ["iat": "\(start + 61)"], .notYetValid),
            claims("nbf beyond the skew", ["nbf": "\(start + 61)"], .notYetValid),
            claims("nbf text", ["nbf": #""soon""#], .malformed),
            claims("unknown iss", ["iss": #""https://elsewhere.example/""#], .unknownIssuer),
            claims("iss with a slash less", ["iss": #""\#(Issuer.name.dropLast())""#], .unknownIssuer),
            claims("iss in other case", ["iss": #""\#(Issuer.name.uppercased())""#], .unknownIssuer),
            claims("iss an array", ["iss": #"["\#(Issuer.name)"]"#], .unknownIssuer),
            claims("another brand's issuer", ["iss": #""https://others.example/""#], .unknownIssuer),
            claims("an issuer that is revoked", ["iss": #""https://revoked.example/""#], .revoked),
            claims("an issuer past its time", ["iss": #""https://ended.example/""#], .revoked),
            claims("aud missing", ["iss": #""https://audience.example/""#], .wrongAudience),
            claims("aud of others", ["iss": #""https://audience.example/""#, "aud": #"["x"]"#], .wrongAudience),
        ]
    }

    static var signatures: [Case] {
        [
            Case("another key", .badSignature) { try Issuer.token(key: Issuer.otherRSA) },
            Case("expired and forged", .badSignature) {
                try Issuer.token(claims: Issuer.claims(["exp": "1"]), key: Issuer.otherRSA)
            },
            Case("forged, and its claims wrong too", .badSignature) {
                try Issuer.token(claims: Issuer.claims(["exp": "null", "sub": nil]), key: Issuer.otherRSA)
            },
            Case("a key of its own in the header", .badSignature) {
                let header =
                    #"{"alg":"RS256","jwk":{"kty":"RSA","n":"AQAB","e":"AQAB"},"jku":"https://x/","x5u":"https://x/"}"#
                return try Issuer.token(header: header, key: Issuer.otherRSA)
            },
            Case("no signature", .badSignature) { text(#"{"alg":"RS256"}"#) + "." + text(Issuer.claims()) + "." },
            Case("signature of zeros", .badSignature) {
                text(#"{"alg":"RS256"}"#) + "." + text(Issuer.claims()) + "."
                    + Signer.base64URL([UInt8](repeating: 0, count: 384))
            },
            Case("ES256 as DER", .badSignature) { try ellipticCurve { Array($0.derRepresentation) } },
            Case("ES256 with 63 bytes", .badSignature) { try ellipticCurve { Array($0.rawRepresentation.dropLast()) } },
            Case("ES256 with 65 bytes", .badSignature) { try ellipticCurve { [0] + Array($0.rawRepresentation) } },
            Case("ES256 of zeros", .badSignature) { try ellipticCurve { _ in [UInt8](repeating: 0, count: 64) } },
            Case("ES256 with r and s changed about", .badSignature) {
                try ellipticCurve { Array($0.rawRepresentation.suffix(32) + $0.rawRepresentation.prefix(32)) }
            },
            Case("a kid that is another's", .unknownKey) {
                try Issuer.token(
                    header: #"{"alg":"RS256","kid":"other"}"#,
                    claims: Issuer.claims(["iss": #""https://pinned.example/""#])
                )
            },
            Case("no kid where one is pinned", .unknownKey) {
                try Issuer.token(claims: Issuer.claims(["iss": #""https://pinned.example/""#]))
            },
            Case("a kid of another type", .unknownKey) {
                try Issuer.token(
                    header: #"{"alg":"RS256","kid":["pin"]}"#,
                    claims: Issuer.claims(["iss": #""https://pinned.example/""#])
                )
            },
        ]
    }

    private static func ellipticCurve(_ form: (P256.Signing.ECDSASignature) -> [UInt8]) throws -> String {
        let claims = Issuer.claims(["iss": #""https://curve.example/""#])
        let input = text(#"{"alg":"ES256"}"#) + "." + text(claims)
        return input + "." + Signer.base64URL(form(try Issuer.ec.signature(for: Array(input.utf8))))
    }

    static var shapes: [Case] {
        [
            Case("padding", .malformed) { try Issuer.token() + "=" },
            Case("padding within what is signed", .malformed) {
                try signed(text(#"{"alg":"RS256"}"#) + "==", text("{}"))
            },
            Case("space behind", .malformed) { try Issuer.token() + " " },
            Case("space within", .malformed) { try signed(text(#"{"alg":"RS256"}"#) + " ", text(Issuer.claims())) },
            Case("standard alphabet", .malformed) { try Issuer.token() + "+/+/" },
            Case("a megabyte", .malformed) {
                try signed(text(#"{"alg":"RS256"}"#), text(Issuer.claims()) + String(repeating: "A", count: 1 << 20))
            },
            Case("not UTF-8", .malformed) {
                let bytes = Array(#"{"iss":"\#(Issuer.name)","sub":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)
                return try signed(text(#"{"alg":"RS256"}"#), Signer.base64URL(bytes))
            },
            Case("a claim twice", .malformed) {
                try Issuer.token(claims: #"{"sub":"other","# + Issuer.claims().dropFirst())
            },
            Case("a header member twice", .malformed) { try Issuer.token(header: #"{"alg":"RS256","alg":"RS256"}"#) },
            Case("crit", .malformed) { try Issuer.token(header: #"{"alg":"RS256","crit":["exp"]}"#) },
            Case("claims that are no object", .malformed) { try Issuer.token(claims: #""\#(Issuer.name)""#) },
        ]
    }

    @Test("rejected, with exactly this code and reason, plain and within an encrypted token")
    func refused() async throws {
        try await Gateway.with { gateway in
            try await gateway.sdkKey("main")
            try await gateway.issuer()
            try await gateway.issuer(Issuer.details(.es256, issuer: "https://curve.example/"))
            try await gateway.issuer(Issuer.details(issuer: "https://pinned.example/", keyId: "pin"))
            try await gateway.issuer(Issuer.details(issuer: "https://audience.example/", audience: "app"))
            try await gateway.issuer(Issuer.details(issuer: "https://others.example/"), brand: Gateway.other)
            try await gateway.issuer(
                Issuer.details(issuer: "https://ended.example/"),
                expiresAt: gateway.clock.now
            )
            let revoked = try await gateway.issuer(Issuer.details(issuer: "https://revoked.example/"))
            try await gateway.directory.revokeCredential(brand: Gateway.acme, id: revoked.summary.id)
            let (_, sealer) = try await gateway.sealer(.ecdhES)
            // One after the other: all at once would slow each other down.
            for hostile in Self.algorithms + Self.times + Self.signatures + Self.shapes {
                let token = try hostile.token()
                let expected: AuthenticationError = hostile.reason.map { .tokenInvalid($0) } ?? .tokenExpired
                let error = await #expect(throws: AuthenticationError.self, "\(hostile.name)") {
                    try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme)
                }
                #expect(error?.withoutName == expected, "\(hostile.name)")
                let sealed = try sealer.token(token)
                let inner: AuthenticationError = token.hasSuffix(".") ? .tokenInvalid(.malformed) : expected
                let other = await #expect(throws: AuthenticationError.self, "\(hostile.name), encrypted") {
                    try await gateway.verifier.verify(sealed, keyName: nil, brand: Gateway.acme)
                }
                #expect(other?.withoutName == inner, "\(hostile.name), encrypted")
            }
        }
    }

    @Test("a subject that cannot be an id is named")
    func subjects() async throws {
        try await Gateway.with { gateway in
            try await gateway.issuer()
            let long = String(repeating: "x", count: 257)
            for subject in [#""""#, "7", "{}", #""a\u0000b""#, #""\#(long)""#, #"["consumer-1"]"#] {
                let token = try Issuer.token(claims: Issuer.claims(["sub": subject]))
                let error = await #expect(throws: AuthenticationError.self) {
                    try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme)
                }
                guard case .invalidClaim("sub", let detail)? = error else {
                    Issue.record("\(subject.prefix(20)): \(String(describing: error))")
                    continue
                }
                #expect(!detail.contains(long))
            }
        }
    }
}
