import Cryptography
import Testing
import TextFormats

@Suite("RSA signatures are those of RFC 8017, and keys and signatures that are none are rejected")
struct RSATests {
    private static let data = Array("message".utf8)
    private static let paddings: [RSA.Padding] = [.pkcs1, .pss]

    private static func key() throws -> RSA.PrivateKey {
        try RSA.PrivateKey(pemRepresentation: TestKeys.rsa)
    }

    @Test("the signature of RFC 7515 A.2 verifies and is made again")
    func appendixA2() throws {
        func bytes(_ text: String) -> [UInt8] { StrictBase64.decode(text.utf8, .url) ?? [] }
        let key = try RSA.PublicKey(n: bytes(RSAVector.modulus), e: [1, 0, 1])
        let signature = bytes(RSAVector.signature)
        #expect(key.keySizeInBits == 2048 && key.exponent == [1, 0, 1])
        #expect(key.isValidSignature(signature, for: Array(RSAVector.input.utf8), padding: .pkcs1))
        #expect(!key.isValidSignature(signature, for: Array(RSAVector.input.utf8), padding: .pss))
    }

    @Test("signatures verify with their key, data, hash and padding only")
    func signatures() throws {
        let key = try Self.key()
        for padding in Self.paddings {
            let signature = try key.signature(for: Self.data, padding: padding)
            let other: RSA.Padding = padding == .pss ? .pkcs1 : .pss
            #expect(
                signature.count == 256 && key.publicKey.isValidSignature(signature, for: Self.data, padding: padding)
            )
            #expect(!key.publicKey.isValidSignature(signature, for: Self.data + [0], padding: padding))
            #expect(!key.publicKey.isValidSignature(signature, for: Self.data, padding: other))
            for index in stride(from: 0, to: 256, by: 17) {
                var changed = signature
                changed[index] ^= 1
                #expect(!key.publicKey.isValidSignature(changed, for: Self.data, padding: padding))
            }
            let modulus = key.publicKey.modulus
            let full = [UInt8](repeating: 0xFF, count: 256)
            let zero = [UInt8](repeating: 0, count: 256)
            for bad in [
                [], Array(signature.dropLast()), signature + [0], [0] + signature, zero, zero.dropLast() + [1], modulus,
                full,
            ] {
                #expect(!key.publicKey.isValidSignature(bad, for: Self.data, padding: padding))
            }
        }
    }

    @Test("keys are read from PKCS#1, PKCS#8 and SubjectPublicKeyInfo")
    func pem() throws {
        let key = try Self.key()
        #expect(
            key.pemRepresentation == TestKeys.rsaPKCS8 && key.publicKey.pemRepresentation == TestKeys.rsaPublic
        )
        #expect(key.publicKey.keySizeInBits == 2048)
        let same = try RSA.PrivateKey(pemRepresentation: TestKeys.rsaPKCS8).publicKey
        #expect(same.derRepresentation == key.publicKey.derRepresentation)
        let built = try RSA.PublicKey(n: same.modulus, e: same.exponent)
        #expect(built.derRepresentation == same.derRepresentation && built.modulus == same.modulus)
        #expect(try RSA.PublicKey(pemRepresentation: TestKeys.rsaPublic).modulus == same.modulus)
        let bad = [
            TestKeys.rsaWrongExponent, TestKeys.rsaWrongModulus, TestKeys.rsa1024, TestKeys.pss, TestKeys.rsaPublic,
            TestKeys.pkcs8, TestKeys.sec1, TestKeys.encrypted, TestKeys.ed25519, TestKeys.rsa + "\n" + TestKeys.rsa, "",
        ]
        for pem in bad {
            #expect(throws: CryptographyError.self, "\(pem)") { try RSA.PrivateKey(pemRepresentation: pem) }
        }
    }

    @Test("a public key below 2048 bits needs a caller that checks it, and one below 1024 is none")
    func sizes() throws {
        #expect(throws: CryptographyError.invalidKey) {
            try RSA.PublicKey(pemRepresentation: TestKeys.rsa1024Public)
        }
        #expect(try RSA.PublicKey(pemRepresentation: TestKeys.rsa1024Public, bits: 1024...8192).keySizeInBits == 1024)
        for pem in [TestKeys.rsa512Public, TestKeys.pssPublic, TestKeys.rsa, TestKeys.p384Public, TestKeys.compressed] {
            #expect(throws: CryptographyError.invalidKey) {
                try RSA.PublicKey(pemRepresentation: pem, bits: 1024...8192)
            }
        }
        #expect(throws: CryptographyError.self) { try RSA.PublicKey(pemRepresentation: "garbage") }
        let odd = [UInt8](repeating: 0xFF, count: 1025)
        for (count, isGood) in [
            (0, false), (1, false), (255, false), (256, true), (512, true), (1024, true), (1025, false),
        ] {
            let key = try? RSA.PublicKey(n: Array(odd.prefix(count)), e: [1, 0, 1])
            #expect((key != nil) == isGood, "\(count)")
        }
        #expect(throws: CryptographyError.invalidKey) {
            try RSA.PublicKey(n: [0x7F] + odd.prefix(255), e: [1, 0, 1])
        }
        #expect(throws: CryptographyError.invalidKey) {
            try RSA.PublicKey(n: odd.prefix(255) + [0xFE], e: [3])
        }
        #expect(throws: CryptographyError.invalidKey) {
            try RSA.PublicKey(n: [UInt8](repeating: 0xFF, count: 100_000), e: [3])
        }
    }

    @Test("an exponent is odd, above 1 and at most 2^33")
    func exponents() throws {
        let modulus = try Self.key().publicKey.modulus
        let good: [[UInt8]] = [[3], [17], [1, 0, 1], [0, 1, 0, 1], [1, 0xFF, 0xFF, 0xFF, 0xFF]]
        for exponent in good { #expect(throws: Never.self) { try RSA.PublicKey(n: modulus, e: exponent) } }
        let bad: [[UInt8]] = [[], [0], [1], [2], [4], [1, 0, 0], [2, 0, 0, 0, 1], [1, 0, 0, 0, 0, 1], modulus]
        for exponent in bad {
            #expect(throws: CryptographyError.invalidKey) { try RSA.PublicKey(n: modulus, e: exponent) }
        }
    }

    @Test("a new key signs")
    func generation() throws {
        let key = try RSA.PrivateKey(bitCount: 2048)
        let signature = try key.signature(for: Self.data, padding: .pss)
        let read = try RSA.PrivateKey(pemRepresentation: key.pemRepresentation).publicKey
        #expect(read.keySizeInBits == 2048 && read.isValidSignature(signature, for: Self.data, padding: .pss))
    }
}
