import Crypto
import Testing
import TextFormats

@testable import Identity

@Suite("A compact JWS is parsed strictly")
struct CompactJWSTests {
    /// RFC 7515 appendix A.1.
    static let vector =
        "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
        + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let vectorKey = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"

    @Test("the vector of RFC 7515 appendix A.1 is parsed as printed, and its signature is valid")
    func appendixA1() throws {
        let jws = try CompactJWS(Array(Self.vector.utf8))
        #expect(jws.header == ["typ": .string("JWT"), "alg": .string("HS256")])
        #expect(
            jws.claims
                == ["iss": .string("joe"), "exp": .integer(1_300_819_380), "http://example.com/is_root": .bool(true)]
        )
        #expect(jws.signature.prefix(4) == [116, 24, 223, 180])
        let key = try #require(StrictBase64.decode(Self.vectorKey.utf8, .url))
        let code = HMAC<SHA256>.authenticationCode(for: jws.signingInput, using: SymmetricKey(data: key))
        #expect(Array(code) == jws.signature)
    }

    @Test("the limit is on the text's bytes")
    func limit() throws {
        // 6 + 1 + 3 + 1 bytes are around the claims; 4 characters of base64url are 3 bytes.
        let padding = String(repeating: " ", count: (CompactJWS.maxBytes - 200) / 4 * 3)
        #expect(throws: Never.self) { try CompactJWS(Array(Signer.token(claims: "{}" + padding).utf8)) }
        let longer = padding + String(repeating: " ", count: 300)
        #expect(throws: AuthenticationError.tokenInvalid(.malformed)) {
            try CompactJWS(Array(Signer.token(claims: "{}" + longer).utf8))
        }
    }
}
