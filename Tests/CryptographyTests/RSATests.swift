import Cryptography
import Testing
import TextFormats

@Suite("RSA signatures are those of RFC 8017, and keys and signatures that are none are rejected")
struct RSATests {
    private static let data = Array("message".utf8)
    private static let paddings: [_RSA.Signing.Padding] = [.insecurePKCS1v1_5, .PSS]

    private static func key() throws -> _RSA.Signing.PrivateKey {
        try _RSA.Signing.PrivateKey(pemRepresentation: TestKeys.rsa)
    }

    private static func raw(_ bytes: [UInt8]) -> _RSA.Signing.RSASignature { .init(rawRepresentation: bytes) }

    @Test("the signature of RFC 7515 A.2 verifies and is made again")
    func appendixA2() throws {
        func bytes(_ text: String) -> [UInt8] { StrictBase64.decode(text.utf8, .url) ?? [] }
        let key = try _RSA.Signing.PublicKey(n: bytes(RSAVector.modulus), e: [1, 0, 1])
        let signature = Self.raw(bytes(RSAVector.signature))
        #expect(key.keySizeInBits == 2048 && key.getKeyPrimitives().publicExponent == [1, 0, 1])
        #expect(key.isValidSignature(signature, for: Array(RSAVector.input.utf8), padding: .insecurePKCS1v1_5))
        #expect(!key.isValidSignature(signature, for: Array(RSAVector.input.utf8), padding: .PSS))
        #expect(
            !key.isValidSignature(
                signature,
                for: SHA384.hash(data: Array(RSAVector.input.utf8)),
                padding: .insecurePKCS1v1_5
            )
        )
    }

    @Test("signatures verify with their key, data, hash and padding only")
    func signatures() throws {
        let key = try Self.key()
        for padding in Self.paddings {
            let signature = try key.signature(for: Self.data, padding: padding)
            let raw = signature.rawRepresentation
            let other: _RSA.Signing.Padding = padding == .PSS ? .insecurePKCS1v1_5 : .PSS
            #expect(raw.count == 256 && key.publicKey.isValidSignature(signature, for: Self.data, padding: padding))
            #expect(!key.publicKey.isValidSignature(signature, for: Self.data + [0], padding: padding))
            #expect(!key.publicKey.isValidSignature(signature, for: Self.data, padding: other))
            #expect(!key.publicKey.isValidSignature(signature, for: SHA512.hash(data: Self.data), padding: padding))
            for index in stride(from: 0, to: 256, by: 17) {
                var changed = raw
                changed[index] ^= 1
                #expect(!key.publicKey.isValidSignature(Self.raw(changed), for: Self.data, padding: padding))
            }
            let modulus = key.publicKey.getKeyPrimitives().modulus
            let full = [UInt8](repeating: 0xFF, count: 256)
            let zero = [UInt8](repeating: 0, count: 256)
            for bad in [[], Array(raw.dropLast()), raw + [0], [0] + raw, zero, zero.dropLast() + [1], modulus, full] {
                #expect(!key.publicKey.isValidSignature(Self.raw(bad), for: Self.data, padding: padding))
            }
        }
        for padding in Self.paddings {
            let digest = SHA384.hash(data: Self.data)
            let signature = try key.signature(for: digest, padding: padding)
            #expect(key.publicKey.isValidSignature(signature, for: digest, padding: padding))
        }
    }

    @Test("keys are read from PKCS#1, PKCS#8 and SubjectPublicKeyInfo")
    func pem() throws {
        let key = try Self.key()
        #expect(
            key.pkcs8PEMRepresentation == TestKeys.rsaPKCS8 && key.publicKey.pemRepresentation == TestKeys.rsaPublic
        )
        #expect(key.keySizeInBits == 2048)
        let same = try _RSA.Signing.PrivateKey(pemRepresentation: TestKeys.rsaPKCS8).publicKey
        #expect(same.derRepresentation == key.publicKey.derRepresentation)
        let numbers = same.getKeyPrimitives()
        let built = try _RSA.Signing.PublicKey(n: numbers.modulus, e: numbers.publicExponent)
        #expect(built.derRepresentation == same.derRepresentation && built.getKeyPrimitives() == numbers)
        #expect(try _RSA.Signing.PublicKey(pemRepresentation: TestKeys.rsaPublic).getKeyPrimitives() == numbers)
        let bad = [
            TestKeys.rsaWrongExponent, TestKeys.rsaWrongModulus, TestKeys.rsa1024, TestKeys.pss, TestKeys.rsaPublic,
            TestKeys.pkcs8, TestKeys.sec1, TestKeys.encrypted, TestKeys.ed25519, TestKeys.rsa + "\n" + TestKeys.rsa, "",
        ]
        for pem in bad {
            #expect(throws: CryptographyError.self, "\(pem)") { try _RSA.Signing.PrivateKey(pemRepresentation: pem) }
        }
    }

    @Test("a public key below 2048 bits needs a caller that checks it, and one below 1024 is none")
    func sizes() throws {
        #expect(throws: CryptographyError.invalidKey) {
            try _RSA.Signing.PublicKey(pemRepresentation: TestKeys.rsa1024Public)
        }
        #expect(try _RSA.Signing.PublicKey(unsafePEMRepresentation: TestKeys.rsa1024Public).keySizeInBits == 1024)
        for pem in [TestKeys.rsa512Public, TestKeys.pssPublic, TestKeys.rsa, TestKeys.p384Public, TestKeys.compressed] {
            #expect(throws: CryptographyError.invalidKey) { try _RSA.Signing.PublicKey(unsafePEMRepresentation: pem) }
        }
        #expect(throws: CryptographyError.self) { try _RSA.Signing.PublicKey(pemRepresentation: "garbage") }
        let odd = [UInt8](repeating: 0xFF, count: 1025)
        for (count, isGood) in [
            (0, false), (1, false), (255, false), (256, true), (512, true), (1024, true), (1025, false),
        ] {
            let key = try? _RSA.Signing.PublicKey(n: odd.prefix(count), e: [1, 0, 1])
            #expect((key != nil) == isGood, "\(count)")
        }
        #expect(throws: CryptographyError.invalidKey) {
            try _RSA.Signing.PublicKey(n: [0x7F] + odd.prefix(255), e: [1, 0, 1])
        }
        #expect(throws: CryptographyError.invalidKey) {
            try _RSA.Signing.PublicKey(n: odd.prefix(255) + [0xFE], e: [3])
        }
        #expect(throws: CryptographyError.invalidKey) {
            try _RSA.Signing.PublicKey(n: [UInt8](repeating: 0xFF, count: 100_000), e: [3])
        }
    }

    @Test("an exponent is odd, above 1 and at most 2^33")
    func exponents() throws {
        let modulus = try Self.key().publicKey.getKeyPrimitives().modulus
        let good: [[UInt8]] = [[3], [17], [1, 0, 1], [0, 1, 0, 1], [1, 0xFF, 0xFF, 0xFF, 0xFF]]
        for exponent in good { #expect(throws: Never.self) { try _RSA.Signing.PublicKey(n: modulus, e: exponent) } }
        let bad: [[UInt8]] = [[], [0], [1], [2], [4], [1, 0, 0], [2, 0, 0, 0, 1], [1, 0, 0, 0, 0, 1], modulus]
        for exponent in bad {
            #expect(throws: CryptographyError.invalidKey) { try _RSA.Signing.PublicKey(n: modulus, e: exponent) }
        }
    }

    @Test("a new key signs")
    func generation() throws {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let signature = try key.signature(for: Self.data, padding: .PSS)
        let read = try _RSA.Signing.PrivateKey(pemRepresentation: key.pkcs8PEMRepresentation).publicKey
        #expect(key.keySizeInBits == 2048 && read.isValidSignature(signature, for: Self.data, padding: .PSS))
    }
}
