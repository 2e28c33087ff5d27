import Cryptography
import Testing
import TextFormats

@Suite("P-256 is that of RFC 6979 and RFC 7518, and rejects points, numbers and encodings that are none")
struct P256Tests {
    private static let x = hex("60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6")
    private static let y = hex("7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299")
    private static let number = hex("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721")
    private static let order = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    private static let sample = Array("sample".utf8)

    @Test("the signatures of RFC 6979 A.2.5 verify")
    func vectors() throws {
        let key = try P256.PublicKey(rawRepresentation: Self.x + Self.y)
        #expect(try P256.PrivateKey(rawRepresentation: Self.number).publicKey == key)
        let signature =
            hex("EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716")
            + hex("F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8")
        #expect(key.isValidSignature(signature, for: Self.sample))
        #expect(!key.isValidSignature(signature, for: Self.sample + [0]))
        // That of SHA-512.
        let other =
            hex("8496A60B5E9B47C825488827E0495B0E3FA109EC4568FD3F8D1097678EB97F00")
            + hex("2362AB1ADBE2B8ADF9CB9EDAB740EA6049C028114F2460F96554F61FAE3302FE")
        #expect(!key.isValidSignature(other, for: Self.sample))
    }

    @Test("the agreement of RFC 7518 appendix C gives the printed secret, on both sides")
    func agreement() throws {
        func bytes(_ text: String) -> [UInt8] { StrictBase64.decode(text.utf8, .url) ?? [] }
        let alice = try P256.PrivateKey(
            rawRepresentation: bytes("0_NxaRPUMQoAJt50Gz8YiTr8gRTwyEaCumd-MToTmIo")
        )
        let bob = try P256.PrivateKey(
            rawRepresentation: bytes("VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw")
        )
        let secrets = [
            try alice.sharedSecret(with: bob.publicKey),
            try bob.sharedSecret(with: alice.publicKey),
        ]
        for secret in secrets {
            #expect(secret == bytes("nlbZHYFxNdNyg0KDv4QmnPsxbqPagGpI9tqneYz-kMQ"))
        }
    }

    @Test("numbers outside their range are never a valid signature")
    func range() throws {
        let key = P256.PrivateKey()
        let good = try key.signature(for: Self.sample)
        let (r, s) = (Array(good[..<32]), Array(good[32...]))
        let zero = [UInt8](repeating: 0, count: 32)
        let full = [UInt8](repeating: 0xFF, count: 32)
        var over = Self.order
        over[31] += 1
        let bad = [zero, Self.order, over, full]
        let pairs = bad.flatMap { value in [(value, s), (r, value), (value, value)] } + [(s, r), (zero, Self.order)]
        for (r, s) in pairs {
            #expect(!key.publicKey.isValidSignature(r + s, for: Self.sample))
        }
        // The negative of s is also a signature (the scheme is malleable); r or s plus the order does not fit.
        for length in [0, 1, 32, 63, 65, 128] {
            #expect(!key.publicKey.isValidSignature(Array((good + good).prefix(length)), for: Self.sample))
        }
    }

    @Test("signatures have 64 bytes, whatever zeros their numbers begin with")
    func lengths() throws {
        let key = P256.PrivateKey()
        var zeros = 0
        for number in 0..<1500 {
            let data = [UInt8(number % 256), UInt8(number / 256)]
            let signature = try key.signature(for: data)
            guard signature.count == 64, signature[0] == 0 || signature[32] == 0 else { continue }
            zeros += 1
            #expect(key.publicKey.isValidSignature(signature, for: data))
        }
        // One in 128 begins with a zero byte.
        #expect(zeros > 0)
    }

    @Test("a point must be on the curve and uncompressed")
    func points() throws {
        let zero = [UInt8](repeating: 0, count: 32)
        let full = [UInt8](repeating: 0xFF, count: 32)
        let field = hex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
        var off = Self.y
        off[31] ^= 1
        let bad = [
            Self.x + off, Self.y + Self.x, zero + zero, full + full, field + field, zero + Self.y, Self.x + zero,
            Self.x, Self.x + Self.y + [0], [], [0], [0] + Self.x + Self.y,
        ]
        for raw in bad {
            #expect(throws: CryptographyError.invalidKey) { try P256.PublicKey(rawRepresentation: raw) }
        }
        for point in [
            [0], [2] + Self.x, [3] + Self.x, [6] + Self.x + Self.y, [7] + Self.x + Self.y, [0] + Self.x + Self.y,
        ] {
            #expect(throws: CryptographyError.invalidKey) { try P256.PublicKey(x963Representation: point) }
        }
        #expect(
            try P256.PublicKey(x963Representation: [4] + Self.x + Self.y).rawRepresentation == Self.x + Self.y
        )
    }

    @Test("private numbers are from 1 to the order less 1")
    func numbers() throws {
        var last = Self.order
        last[31] -= 1
        let one = [UInt8](repeating: 0, count: 31) + [1]
        for good in [one, last, Self.number] {
            let key = try P256.PrivateKey(rawRepresentation: good)
            #expect(key.rawRepresentation == good)
            #expect(key.publicKey.isValidSignature(try key.signature(for: [1]), for: [1]))
            #expect(try P256.PrivateKey(pemRepresentation: key.pemRepresentation).rawRepresentation == good)
        }
        for bad in [
            [UInt8](repeating: 0, count: 32), Self.order, [UInt8](repeating: 0xFF, count: 32), [1], one + [0], [],
        ] {
            #expect(throws: CryptographyError.invalidKey) { try P256.PrivateKey(rawRepresentation: bad) }
        }
    }

    @Test("private keys are read from PKCS#8 and SEC 1, whatever public key is beside them")
    func privatePEM() throws {
        let key = try P256.PrivateKey(pemRepresentation: TestKeys.pkcs8)
        for pem in [TestKeys.sec1, TestKeys.ecWithoutPoint, TestKeys.ecOfOtherPoint, TestKeys.pkcs8 + "\n\n"] {
            let same = try P256.PrivateKey(pemRepresentation: pem)
            #expect(same.rawRepresentation == key.rawRepresentation && same.publicKey == key.publicKey)
        }
        #expect(key.pemRepresentation == TestKeys.pkcs8)
        let bad = [
            TestKeys.ecZero, TestKeys.ecOrder, TestKeys.ecOver, TestKeys.ecTrailing, TestKeys.explicit,
            TestKeys.encrypted,
            TestKeys.encryptedSEC1, TestKeys.p384, TestKeys.secp256k1, TestKeys.ed25519, TestKeys.rsa,
            TestKeys.rsaPKCS8,
            key.publicKey.pemRepresentation, TestKeys.pkcs8 + "\n" + TestKeys.pkcs8, "", "garbage",
        ]
        for pem in bad {
            #expect(throws: CryptographyError.self, "\(pem)") { try P256.PrivateKey(pemRepresentation: pem) }
        }
    }

    @Test("the parts of PKCS#8 and SEC 1 are those of a key on P-256, in their order")
    func partsOfPrivateDER() throws {
        let (algorithm, curve) = (hex("06072a8648ce3d0201"), hex("06082a8648ce3d030107"))
        func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, UInt8(content.count)] + content }
        func sec1(_ parts: [UInt8]...) -> [UInt8] { value(0x30, Array(parts.joined())) }
        let (one, number, named) = (value(2, [1]), value(4, Self.number), value(0xA0, curve))
        func pkcs8(
            _ key: [UInt8] = sec1(one, number),
            version: [UInt8] = value(2, [0]),
            names: [UInt8] = algorithm + curve,
            more: [UInt8] = []
        ) -> [UInt8] { sec1(version, value(0x30, names), value(4, key), more) }
        let good = [
            sec1(one, number, named), sec1(one, number, named, value(0xA1, [3, 2, 0, 4])), pkcs8(),
            pkcs8(sec1(one, number, named)), pkcs8(version: one, more: value(0xA0, []) + value(0x81, [0])),
        ]
        for der in good {
            #expect(try P256.PrivateKey(derRepresentation: der).rawRepresentation == Self.number, "\(der)")
        }
        let bad = [
            sec1(one, number), sec1(value(2, [0]), number, named), sec1(number, one, named), sec1(one, named, number),
            sec1(one, number, value(0xA0, algorithm)), sec1(one, number, named, named), sec1(one, number, named, one),
            sec1(one, value(4, Array(Self.number.dropFirst())), named), sec1(one, value(4, [0] + Self.number), named),
            sec1(one), sec1(), sec1(one, number, named) + [0], pkcs8(pkcs8()), pkcs8(version: value(2, [2])),
            pkcs8(names: algorithm), pkcs8(names: curve + algorithm), pkcs8(names: algorithm + curve + [5, 0]),
            pkcs8(names: algorithm + hex("06052b81040022")), pkcs8(sec1(one, number) + [0]), pkcs8(more: one),
            pkcs8([]),
        ]
        for der in bad {
            #expect(throws: CryptographyError.invalidKey, "\(der)") {
                try P256.PrivateKey(derRepresentation: der)
            }
        }
    }

    @Test("public keys are read from a SubjectPublicKeyInfo that names the curve")
    func publicPEM() throws {
        let key = try P256.PrivateKey(pemRepresentation: TestKeys.pkcs8).publicKey
        #expect(try P256.PublicKey(pemRepresentation: key.pemRepresentation) == key)
        #expect(try P256.PublicKey(derRepresentation: key.derRepresentation) == key)
        let bad = [
            TestKeys.explicitPublic, TestKeys.compressed, TestKeys.hybrid, TestKeys.p384Public,
            TestKeys.secp256k1Public,
            TestKeys.rsaPublic, TestKeys.pkcs8, TestKeys.sec1, "",
        ]
        for pem in bad {
            #expect(throws: CryptographyError.self, "\(pem)") { try P256.PublicKey(pemRepresentation: pem) }
        }
        #expect(throws: CryptographyError.invalidKey) {
            try P256.PublicKey(derRepresentation: key.derRepresentation + [0])
        }
        #expect(throws: CryptographyError.invalidKey) {
            try P256.PublicKey(derRepresentation: key.derRepresentation.dropLast())
        }
    }

    @Test("one key signs and verifies on many threads", .timeLimit(.minutes(10)))
    func threads() async throws {
        let key = P256.PrivateKey()
        let valid = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<12 {
                group.addTask {
                    var valid = 0
                    for round in 0..<50 {
                        let data = [UInt8(number), UInt8(round)]
                        let signature = try key.signature(for: data)
                        if key.publicKey.isValidSignature(signature, for: data),
                            !key.publicKey.isValidSignature(signature, for: data + [0])
                        {
                            valid += 1
                        }
                    }
                    return valid
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(valid == 600)
    }
}
