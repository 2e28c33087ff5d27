import Crypto
import Foundation
import GatewayModel
import Identity
import TestSupport
import Testing

@Suite("Hostile and broken tokens are rejected, each with its reason", .timeLimit(.minutes(10)))
struct HostileTokenTests {
    /// A token and the reason of its rejection; nil means expired.
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let token: String
        let reason: TokenInvalidReason?

        var testDescription: String { name }

        init(_ name: String, _ token: String, _ reason: TokenInvalidReason?) {
            self.name = name
            self.token = token
            self.reason = reason
        }
    }

    private static let start = Gateway.start

    private static func claims(_ name: String, _ changes: [String: String?], _ reason: TokenInvalidReason?) -> Case {
        Case(name, Signer.token(claims: Signer.claims(changes)), reason)
    }

    private static func header(_ name: String, _ header: String, _ reason: TokenInvalidReason?) -> Case {
        Case(name, Signer.token(header: header), reason)
    }

    private static func raw(_ name: String, claims: String) -> Case {
        Case(name, Signer.token(claims: claims), .malformed)
    }

    static let algorithms: [Case] =
        ["none", "None", "NONE", "nOnE", "", "hs256", "HS256 ", "HS384", "HS512", "RS256", "ES256", "PS256", "A256GCM"]
        .map { header("alg \($0)", #"{"alg":"\#($0)"}"#, .wrongAlgorithm) } + [
            header("alg null", #"{"alg":null}"#, .wrongAlgorithm),
            header("alg number", #"{"alg":256}"#, .wrongAlgorithm),
            header("alg array", #"{"alg":["HS256"]}"#, .wrongAlgorithm), header("no alg", "{}", .wrongAlgorithm),
            Case(
                "none without a signature",
                Signer.base64URL(Array(#"{"alg":"none"}"#.utf8)) + "." + Signer.base64URL(Array(Signer.claims().utf8))
                    + ".",
                .wrongAlgorithm
            ),
        ]

    static let times: [Case] = [
        claims("iat missing", ["iat": nil], .missingClaim), claims("exp missing", ["exp": nil], .missingClaim),
        claims("both missing", ["iat": nil, "exp": nil], .missingClaim),
        claims("exp null", ["exp": "null"], .malformed), claims("iat null", ["iat": "null"], .malformed),
        claims("exp text", ["exp": "\"\(start + 600)\""], .malformed),
        claims("iat text", ["iat": #""2023-11-14T22:13:20Z""#], .malformed),
        claims("iat object", ["iat": "{}"], .malformed), claims("exp bool", ["exp": "true"], .malformed),
        claims("exp fractional text", ["exp": "\"\(start + 600).5\""], .malformed),
        claims("exp fractional and negative", ["exp": "-0.5"], .malformed),
        claims("exp fractional milliseconds", ["exp": "\((start + 600) * 1000).5"], .malformed),
        claims("exp exponent beyond the range", ["exp": "1e11"], .malformed),
        claims("exp exponent beyond any range", ["exp": "1e999"], .malformed),
        claims("expired by a fraction", ["exp": "\(start - 5).9"], nil),
        claims("iat fractional beyond the skew", ["iat": "\(start + 61).5"], .notYetValid),
        claims("exp milliseconds", ["exp": "\((start + 600) * 1000)"], .malformed),
        claims("iat milliseconds", ["iat": "\(start * 1000)"], .malformed),
        claims("exp negative", ["exp": "-1"], .malformed),
        claims("exp beyond 64 bits", ["exp": "99999999999999999999"], .malformed),
        claims("exp largest", ["exp": "9223372036854775807"], .malformed),
        claims("expired", ["exp": "\(start - 5)"], nil), claims("expired at once", ["exp": "0"], nil),
        claims("iat beyond the skew", ["iat": "\(start + 61)"], .notYetValid),
        claims("nbf beyond the skew", ["nbf": "\(start + 61)"], .notYetValid),
        claims("nbf text", ["nbf": #""soon""#], .malformed), claims("nbf null", ["nbf": "null"], .malformed),
    ]

    static let keys: [Case] = [
        claims("unknown iss", ["iss": #""nobody""#], .unknownIssuer),
        claims("iss of another type", ["iss": "7"], .unknownIssuer),
        claims("iss empty", ["iss": #""""#], .unknownIssuer),
        claims("nothing names a key", ["iss": nil], .unknownKey),
        Case(
            "kid of another type",
            Signer.token(header: #"{"alg":"HS256","kid":7}"#, claims: Signer.claims(["iss": nil])),
            .unknownKey
        ),
        Case(
            "unknown kid",
            Signer.token(header: #"{"alg":"HS256","kid":"../main"}"#, claims: Signer.claims(["iss": nil])),
            .unknownKey
        ),
        claims("another brand's key", ["iss": #""others""#], .unknownIssuer),
        claims("a revoked key", ["iss": #""revoked""#], .revoked),
        claims("a key past its time", ["iss": #""ended""#], .revoked),
        Case("signed with another secret", Signer.token(secret: Signer.secret + "x"), .badSignature),
        Case("signed with an empty secret", Signer.token(secret: ""), .badSignature),
        Case(
            "expired and forged",
            Signer.token(claims: Signer.claims(["exp": "1"]), secret: "another secret of some length that is wrong"),
            .badSignature
        ),
        Case(
            "claims that are wrong in a forged token",
            Signer.token(claims: Signer.claims(["iat": "\"x\""]), secret: "another"),
            .badSignature
        ),
        Case(
            "a key of its own in the header",
            Signer.token(
                header: #"{"alg":"HS256","jwk":{"kty":"oct","k":"AAAA"},"jku":"http://x/"}"#,
                secret: "\0\0\0"
            ),
            .badSignature
        ),
    ]

    static let shapes: [Case] = {
        let good = Signer.token()
        let parts = good.split(separator: ".").map(String.init)
        let (head, body, code) = (parts[0], parts[1], parts[2])
        let malformed: [(String, String)] = [
            ("empty", ""), ("no dots", "abc"), ("two parts", head + "." + body), ("four parts", good + "." + code),
            ("five parts", good + ".a.b"), ("dots only", ".."), ("empty header", "." + body + "." + code),
            ("empty claims", head + ".." + code), ("a dot more", good + "."), ("a dot first", "." + good),
            ("padding on the signature", good + "="), ("padding on the header", Signer.sign(head + "==." + body)),
            ("space first", " " + good), ("space last", good + " "), ("line break last", good + "\n"),
            ("line break within", head + ".\n" + body + "." + code), ("tab", head + "\t." + body + "." + code),
            ("zero byte", good + "\0"), ("not ASCII", head + "." + body + "." + code + "é"),
            ("standard alphabet", head + "." + body + "." + String(code.dropLast()) + "+"),
            ("signature cut to an impossible length", head + "." + body + "." + String(code.dropLast(2))),
            ("slack bits in the signature", head + "." + body + "." + Self.withSlack(code)),
            ("a megabyte", head + "." + String(repeating: "A", count: 1 << 20) + "." + code),
            ("a megabyte of dots", String(repeating: ".", count: 1 << 20)),
            ("Bearer before it", "Bearer " + good),
            (
                "not UTF-8 in the claims",
                Signer.sign(head + "." + Signer.base64URL(Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8)))
            ),
        ]
        return malformed.map { Case($0, $1, .malformed) } + [
            Case("no signature", head + "." + body + ".", .badSignature),
            Case("half a signature", head + "." + body + "." + String(code.prefix(20)), .badSignature),
            Case("a longer signature", good + "AAAA", .badSignature),
            Case(
                "SHA-512 in place of SHA-256",
                head + "." + body + "." + Self.sha512(head + "." + body),
                .badSignature
            ),
        ]
    }()

    static let contents: [Case] = [
        raw("claims an array", claims: "[]"), raw("claims a text", claims: #""x""#), raw("claims null", claims: "null"),
        raw("claims empty", claims: " "), raw("claims no JSON", claims: "{iat:1}"),
        raw("claims twice", claims: Signer.claims() + Signer.claims()),
        raw("claims cut", claims: String(Signer.claims().dropLast())),
        raw("byte order mark", claims: "\u{FEFF}" + Signer.claims()),
        raw("a claim twice", claims: #"{"exp":1,"# + Signer.claims().dropFirst()),
        raw("a claim twice, once escaped", claims: #"{"\u0065xp":1,"# + Signer.claims().dropFirst()),
        raw("a member twice below", claims: Signer.claims(["x": #"{"a":{"b":1,"b":1}}"#])),
        raw(
            "nested deeply",
            claims: Signer.claims(["x": String(repeating: "[", count: 16) + String(repeating: "]", count: 16)])
        ),
        raw(
            "nested 3000 deep",
            claims: Signer.claims(["x": String(repeating: "[", count: 3000) + String(repeating: "]", count: 3000)])
        ),
        raw("half a surrogate pair", claims: Signer.claims(["identifier": #""\uD83D""#])),
        header("header an array", "[]", .malformed), header("header empty", "", .malformed),
        header("alg twice", #"{"alg":"HS256","alg":"HS256"}"#, .malformed),
        header("alg twice, once none", #"{"alg":"none","alg":"HS256"}"#, .malformed),
        header("header member twice below", #"{"alg":"HS256","x":{"a":1,"a":1}}"#, .malformed),
        header("crit known to others", #"{"alg":"HS256","b64":true,"crit":["b64"]}"#, .malformed),
        header("crit empty", #"{"alg":"HS256","crit":[]}"#, .malformed),
        header("crit null", #"{"alg":"HS256","crit":null}"#, .malformed),
    ]

    @Test("rejected, with exactly this code and reason", arguments: algorithms + times + keys + shapes + contents)
    func refused(_ hostile: Case) async throws {
        try await Gateway.with { gateway in
            try await gateway.sdkKey("main")
            try await gateway.sdkKey("others", brand: Gateway.other)
            try await gateway.sdkKey("ended", expiresAt: gateway.clock.now)
            let revoked = try await gateway.sdkKey("revoked")
            try await gateway.directory.revokeCredential(brand: Gateway.acme, id: revoked.summary.id)
            let expected: AuthenticationError = hostile.reason.map { .tokenInvalid($0) } ?? .tokenExpired
            let error = await #expect(throws: AuthenticationError.self) {
                try await gateway.verifier.verify(hostile.token, keyName: nil, brand: Gateway.acme)
            }
            #expect(error?.withoutName == expected)
            #expect(error?.code == (hostile.reason == nil ? "token_expired" : "token_invalid"))
            #expect(error?.reason == hostile.reason?.rawValue)
        }
    }

    @Test("the limits of time are exact")
    func limitsOfTime() async throws {
        try await Gateway.with { gateway in
            try await gateway.sdkKey("main")
            for changes in [
                ["exp": "\(Self.start - 4)"], ["exp": "99999999999"], ["iat": "0"], ["iat": "\(Self.start + 60)"],
                ["nbf": "\(Self.start + 60)"], ["nbf": "0"],
            ] {
                let token = Signer.token(claims: Signer.claims(changes))
                await #expect(throws: Never.self, "\(changes)") {
                    try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme)
                }
            }
            let token = Signer.token()
            gateway.clock.advance(seconds: 604)
            await #expect(throws: Never.self) {
                try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme)
            }
            gateway.clock.advance(seconds: 1)
            await #expect(throws: AuthenticationError.tokenExpired) {
                try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme)
            }
        }
    }

    @Test("a token with any changed, missing or added character is rejected")
    func everyCharacter() async throws {
        let good = Array(Signer.token().utf8)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ ".utf8)
        try await Gateway.with(anonymousConsumers: true) { gateway in
            try await gateway.sdkKey("main")
            let verifier = gateway.verifier
            func isTaken(_ bytes: [UInt8]) async -> Bool {
                (try? await verifier.verify(
                    String(decoding: bytes, as: UTF8.self),
                    keyName: "main",
                    brand: Gateway.acme
                ))
                    != nil
            }
            #expect(await isTaken(good))
            var taken: [String] = []
            for index in good.indices {
                var changed = good
                for character in alphabet where character != good[index] {
                    changed[index] = character
                    if await isTaken(changed) { taken.append("\(index) \(character)") }
                }
                for bit in 0..<8 {
                    changed[index] = good[index] ^ (1 << bit)
                    if await isTaken(changed) { taken.append("\(index) bit \(bit)") }
                }
                changed = good
                changed.remove(at: index)
                if await isTaken(changed) { taken.append("\(index) removed") }
                if await isTaken(Array(good[..<index])) { taken.append("\(index) cut") }
                changed = good
                changed.insert(good[index], at: index)
                if await isTaken(changed) { taken.append("\(index) doubled") }
            }
            #expect(taken == [])
        }
    }

    /// Returns the same bytes with one of the unused last bits set.
    private static func withSlack(_ code: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard let last = code.last, let index = alphabet.firstIndex(of: last) else { return code }
        return String(code.dropLast()) + String(alphabet[index | 1 == index ? index - 1 : index | 1])
    }

    private static func sha512(_ input: String) -> String {
        let key = SymmetricKey(data: Array(Signer.secret.utf8))
        return Signer.base64URL(Array(HMAC<SHA512>.authenticationCode(for: Array(input.utf8), using: key)))
    }
}
