import Testing

@testable import Identity

@Suite("The admin token and the comparison of secrets")
struct AdminTokenTests {
    @Test("a generated token is read from its file and matches only itself")
    func matches() throws {
        let text = AdminToken.makeText()
        #expect(text.utf8.count == 43 && text != AdminToken.makeText())
        let token = try AdminToken(text: "\n " + text + " \r\n")
        #expect(token.matches(text))
        for other in [
            "", " " + text, text + " ", text + "\n", text + "A", String(text.dropLast()), AdminToken.makeText(),
        ] {
            #expect(!token.matches(other))
        }
    }

    @Test(
        "a text that is not a token is rejected",
        arguments: [
            ("", .tooShort), (" \n", .tooShort), (String(repeating: "a", count: 31), .tooShort),
            (String(repeating: "a", count: 513), .malformed), (String(repeating: "a ", count: 20), .malformed),
            (String(repeating: "a", count: 32) + "\n" + String(repeating: "b", count: 32), .malformed),
            (String(repeating: "é", count: 32), .malformed), (String(repeating: "a", count: 40) + "\u{7F}", .malformed),
        ] as [(String, AdminToken.Rejection)]
    )
    func refused(text: String, rejection: AdminToken.Rejection) {
        #expect(throws: rejection) { try AdminToken(text: text) }
    }

    @Test("32 to 512 characters are accepted", arguments: [32, 512])
    func limits(count: Int) throws {
        let text = String(repeating: "~", count: count)
        #expect(try AdminToken(text: text).matches(text))
    }

    @Test("hashes are SHA-256, for any container of the bytes")
    func hashes() {
        // The example of FIPS 180-4.
        let abc: [UInt8] = [
            0xBA, 0x78, 0x16, 0xBF, 0x8F, 0x01, 0xCF, 0xEA, 0x41, 0x41, 0x40, 0xDE, 0x5D, 0xAE, 0x22, 0x23, 0xB0, 0x03,
            0x61, 0xA3, 0x96, 0x17, 0x7A, 0x9C, 0xB4, 0x10, 0xFF, 0x61, 0xF2, 0x00, 0x15, 0xAD,
        ]
        #expect(SecretHash.sha256("abc".utf8) == abc)
        #expect(SecretHash.sha256(AnyCollection(Array("abc".utf8))) == abc)
        #expect(SecretHash.fingerprint("abc") == "ba7816bf")
    }

    @Test("random bytes have the requested length, and are not the same twice", arguments: [0, 1, 7, 8, 9, 32, 64])
    func random(count: Int) {
        #expect(SecureRandom.bytes(count).count == count)
        #expect(count < 7 || SecureRandom.bytes(count) != SecureRandom.bytes(count))
    }

    @Test(
        "an Authorization header is a scheme in any case and one token",
        arguments: [
            ("Basic abc", .basic("abc")), ("bAsIc  abc=", .basic("abc=")), ("BEARER sbs_x", .bearer("sbs_x")),
            ("Bearer", nil), ("Bearer ", nil), ("", nil), (" Bearer x", nil), ("Bearer a b", nil), ("Bearer a ", nil),
            ("Bearer\tx", nil), ("Digest x", nil), ("Bearer é", nil), ("Bearerx", nil), ("Bearer a\0", nil),
        ] as [(String, AuthorizationHeader?)]
    )
    func header(value: String, expected: AuthorizationHeader?) {
        #expect(AuthorizationHeader(value) == expected)
    }
}
