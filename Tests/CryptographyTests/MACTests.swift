import Cryptography
import Testing

@Suite("HMAC is that of RFC 4231, and HKDF that of RFC 5869")
struct MACTests {
    private static let vectors: [(key: [UInt8], data: [UInt8], sha256: String, sha384: String, sha512: String)] = [
        (
            [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6",
            "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
                + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952",
            "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
                + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"
        ),
    ]

    @Test("codes", arguments: vectors.indices)
    func codes(_ index: Int) {
        let vector = Self.vectors[index]
        check(SHA256.self, vector.key, vector.data, hex(vector.sha256))
        check(SHA384.self, vector.key, vector.data, hex(vector.sha384))
        check(SHA512.self, vector.key, vector.data, hex(vector.sha512))
    }

    private func check<H: HashFunction>(_: H.Type, _ key: [UInt8], _ data: [UInt8], _ code: [UInt8]) {
        #expect(Array(HMAC<H>.authenticationCode(for: data, using: key)) == code)
        let prepared = HMAC<H>(key: key)
        for _ in 0..<2 { #expect(Array(prepared.code(of: [], data)) == code) }
        #expect(Array(prepared.code(of: Array(data.prefix(3)), Array(data.dropFirst(3)))) == code)
        #expect(prepared.code() == HMAC<H>.authenticationCode(for: [], using: key))
        #expect(HMAC<H>.isValidAuthenticationCode(code, authenticating: data, using: key))
        #expect(!HMAC<H>.isValidAuthenticationCode(code, authenticating: data + [0], using: key))
        #expect(!HMAC<H>.isValidAuthenticationCode(code.dropLast(), authenticating: data, using: key))
        #expect(!HMAC<H>.isValidAuthenticationCode(code + [0], authenticating: data, using: key))
        #expect(!HMAC<H>.isValidAuthenticationCode([], authenticating: data, using: key))
        for index in code.indices {
            var changed = code
            changed[index] ^= 0x80
            #expect(!HMAC<H>.isValidAuthenticationCode(changed, authenticating: data, using: key))
        }
    }

    @Test("a prepared key gives the same codes for keys and texts of all lengths, again and again")
    func lengths() {
        for count in 0...200 {
            let key = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) }
            let prepared = HMAC<SHA256>(key: key)
            for length in [0, 1, count, 63, 64, 65, 1000] {
                let text = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ count) }
                let code = HMAC<SHA256>.authenticationCode(for: text, using: key)
                #expect(prepared.code(of: text) == code)
                #expect(prepared.code(of: Array(text[..<(length / 2)]), Array(text[(length / 2)...])) == code)
            }
        }
    }

    @Test("the comparison covers every byte, and both lengths", arguments: [0, 1, 31, 32, 33, 64])
    func constantTime(count: Int) {
        let bytes = (0..<count).map { UInt8($0) }
        #expect(bytes.isEqualInConstantTime(to: bytes) && bytes.isEqualInConstantTime(to: bytes.lazy.map { $0 }))
        #expect(!bytes.isEqualInConstantTime(to: bytes + [0]) && !(bytes + [0]).isEqualInConstantTime(to: bytes))
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 0x80
            #expect(!bytes.isEqualInConstantTime(to: other))
        }
    }

    @Test("an empty key is one of zeros")
    func emptyKey() {
        let zeros = [UInt8](repeating: 0, count: 64)
        #expect(
            HMAC<SHA256>.authenticationCode(for: [1], using: [])
                == HMAC<SHA256>.authenticationCode(for: [1], using: zeros)
        )
    }

    @Test("derived keys: test cases 1 to 3")
    func derivation() {
        let secret = [UInt8](repeating: 0x0B, count: 22)
        let first = HKDF<SHA256>.key(
            of: secret,
            salt: hex("000102030405060708090a0b0c"),
            info: hex("f0f1f2f3f4f5f6f7f8f9"),
            byteCount: 42
        )
        #expect(first == hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"))
        let second = HKDF<SHA256>.key(
            of: (0...0x4F).map { UInt8($0) },
            salt: (0x60...0xAF).map { UInt8($0) },
            info: (0xB0...0xFF).map { UInt8($0) },
            byteCount: 82
        )
        #expect(
            second
                == hex(
                    "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
                )
                + hex("da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87")
        )
        let third = HKDF<SHA256>.key(of: secret, byteCount: 42)
        #expect(third == hex("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"))
        let longest = HKDF<SHA256>.key(of: secret, byteCount: 255 * 32)
        #expect(longest.count == 255 * 32 && Array(longest.prefix(42)) == third)
    }
}
