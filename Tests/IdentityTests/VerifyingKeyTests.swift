import Crypto
import CryptoExtras
import GatewayModel
import Testing
import TextFormats

@testable import Identity

@Suite("Published keys are built from their numbers, strictly")
struct VerifyingKeyTests {
    /// Returns a valid key with changed members; nil removes one.
    private static func jwk(_ base: String, _ changes: [BoundedName: StrictJSON?]) throws -> StrictJSON.Members {
        var members = try #require(try StrictJSON.parse(Array(base.utf8)).members)
        for (name, value) in changes { members[name] = value }
        return members
    }

    private static func rejection(
        _ base: String,
        _ changes: [BoundedName: StrictJSON?],
        _ algorithm: SignatureAlgorithm
    ) throws -> KeyRejection? {
        let members = try jwk(base, changes)
        do {
            _ = try VerifyingKey(jwk: members, algorithm: algorithm)
            return nil
        } catch { return error }
    }

    private static func number(_ bytes: [UInt8]) -> StrictJSON { .string(Signer.base64URL(bytes)) }

    private static let rsa = RFCVectors.appendixA2Key
    private static let ec = RFCVectors.appendixA3Key
    private static let rsaType = KeyRejection.wrongType(needed: "an RSA key")
    private static let ecType = KeyRejection.wrongType(needed: "an elliptic-curve key on P-256")

    @Test("an RSA key is accepted when all its members are consistent")
    func rsa() throws {
        let exponents: [[UInt8]] = [[3], [1, 0, 1], [0, 1, 0, 1], [1, 0xFF, 0xFF, 0xFF, 0xFF]]
        let good: [[BoundedName: StrictJSON?]] =
            [
                [:], ["use": .string("sig")], ["key_ops": .array([.string("verify")])], ["kid": .string("a")],
                ["key_ops": .array([.string("sign"), .string("verify")])], ["x5c": .array([]), "other": .null],
            ] + exponents.map { ["e": Self.number($0)] }
        for changes in good {
            #expect(try Self.rejection(Self.rsa, changes, .rs256) == nil)
            #expect(try Self.rejection(Self.rsa, changes, .ps256) == nil)
            #expect(try Self.rejection(Self.rsa, changes, .es256) == Self.ecType)
        }
        let named = try Self.jwk(Self.rsa, ["alg": .string("PS256"), "kid": .string("k")])
        #expect(try VerifyingKey(jwk: named, algorithm: .ps256).keyID == "k")
        #expect(throws: KeyRejection.wrongUse) { try VerifyingKey(jwk: named, algorithm: .rs256) }
    }

    @Test("an RSA key with an invalid member is rejected with the reason")
    func badRSA() throws {
        let modulus = [UInt8](repeating: 0xFF, count: 256)
        let table: [([BoundedName: StrictJSON?], KeyRejection)] =
            [
                (["kty": nil], Self.rsaType), (["kty": .string("rsa")], Self.rsaType),
                (["kty": .string("EC")], Self.rsaType), (["kty": .string("oct")], Self.rsaType),
                (["use": .string("enc")], .wrongUse), (["use": .null], .wrongUse),
                (["alg": .string("RS512")], .wrongUse),
                (["alg": .integer(1)], .wrongUse), (["key_ops": .array([.string("sign")])], .wrongUse),
                (["key_ops": .string("verify")], .wrongUse), (["key_ops": .array([])], .wrongUse),
                (["kid": .integer(7)], .invalid), (["n": nil], .invalid), (["e": nil], .invalid),
                (["n": .string("AQAB=")], .invalid), (["n": .string("A")], .invalid),
                (["e": .integer(65537)], .invalid),
                (["n": Self.number([])], .wrongSize(bits: 0)),
                (["n": Self.number(Array(modulus.dropLast()))], .wrongSize(bits: 2040)),
                (["n": Self.number([0] + modulus.dropLast())], .wrongSize(bits: 2040)),
                (["n": Self.number([0x7F] + modulus.dropFirst())], .wrongSize(bits: 2047)),
                (["n": Self.number([1] + [UInt8](repeating: 0xFF, count: 1024))], .wrongSize(bits: 8193)),
                (["n": Self.number([UInt8](repeating: 0xFE, count: 256))], .invalid),
            ]
            + [[], [0], [1], [2], [4], [0xFF, 0xFE], [2, 0, 0, 0, 1], [1, 0, 0, 0, 0, 1]].map {
                (["e": Self.number($0)], .wrongExponent)
            } + ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].map { ([$0: .string("AQAB")], .privateKey) }
        for (changes, expected) in table {
            let found = try Self.rejection(Self.rsa, changes, .rs256)
            #expect(found == expected, "\(changes)")
        }
    }

    @Test("a point is accepted when it is on P-256, with both coordinates at full length")
    func points() throws {
        #expect(try Self.rejection(Self.ec, [:], .es256) == nil)
        #expect(try Self.rejection(Self.ec, [:], .rs256) == Self.rsaType)
        let key = P256.Signing.PrivateKey().publicKey.rawRepresentation
        let (x, y) = (Array(key.prefix(32)), Array(key.suffix(32)))
        let zero = [UInt8](repeating: 0, count: 32)
        var off = y
        off[31] ^= 1
        let table: [([BoundedName: StrictJSON?], KeyRejection?)] = [
            (["x": Self.number(x), "y": Self.number(y)], nil),
            (["x": Self.number(x), "y": Self.number(off)], .invalid),
            (["x": Self.number(y), "y": Self.number(x)], .invalid),
            (["x": Self.number(zero), "y": Self.number(zero)], .invalid),
            (["x": Self.number([UInt8](repeating: 0xFF, count: 32))], .invalid),
            (["x": Self.number([0] + x), "y": Self.number(y)], .invalid),
            (["x": Self.number(Array(x.dropLast()))], .invalid), (["y": nil], .invalid), (["x": .null], .invalid),
            (["crv": .string("P-384")], Self.ecType), (["crv": .string("secp256k1")], Self.ecType),
            (["crv": nil], Self.ecType), (["use": .string("enc")], .wrongUse), (["d": .string("AA")], .privateKey),
        ]
        for (changes, expected) in table {
            let found = try Self.rejection(Self.ec, changes, .es256)
            #expect(found == expected, "\(changes)")
        }
    }

    @Test("PEM is parsed for its algorithm only, and never a private key")
    func pem() throws {
        func rejection(_ pem: String, _ algorithm: SignatureAlgorithm) -> KeyRejection? {
            do {
                _ = try VerifyingKey(publicPEM: pem, algorithm: algorithm, keyID: nil)
                return nil
            } catch { return error }
        }
        #expect(rejection(PublicKeys.rsa2048, .rs256) == nil)
        #expect(rejection(PublicKeys.rsa2048, .ps256) == nil)
        #expect(rejection(PublicKeys.p256, .es256) == nil)
        for (pem, algorithm) in [
            (PublicKeys.rsa2048, SignatureAlgorithm.es256), (PublicKeys.p256, .rs256), (PublicKeys.p384, .es256),
            (PublicKeys.ed25519, .rs256), ("", .rs256), ("x", .es256),
        ] { #expect(rejection(pem, algorithm) == .unreadable) }
        #expect(rejection(PublicKeys.rsa1024, .rs256) == .wrongSize(bits: 1024))
        #expect(rejection(P256.Signing.PrivateKey().pemRepresentation, .es256) == .privateKey)
    }

    @Test("ES256 accepts the 64 bytes of r and s and nothing else")
    func ellipticCurveSignatures() throws {
        let key = P256.Signing.PrivateKey()
        let verifying = try VerifyingKey(publicPEM: key.publicKey.pemRepresentation, algorithm: .es256, keyID: nil)
        let input = Array("input".utf8)
        let signature = try key.signature(for: input)
        let raw = Array(signature.rawRepresentation)
        #expect(verifying.isValid(raw, of: input))
        #expect(!verifying.isValid(Array(signature.derRepresentation), of: input))
        let zeros = [UInt8](repeating: 0, count: 32)
        let order: [UInt8] =
            [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8) + [
                0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
            ]
        let (r, s) = (Array(raw.prefix(32)), Array(raw.suffix(32)))
        for bad in [
            [], Array(raw.dropLast()), Array(raw.dropFirst()), raw + [0], [0] + raw, zeros + zeros, zeros + s,
            r + zeros, s + r, order + s, r + order, order + order, [UInt8](repeating: 0xFF, count: 64),
            [UInt8](repeating: 0, count: 31) + [1] + [UInt8](repeating: 0, count: 31) + [1],
        ] { #expect(!verifying.isValid(bad, of: input)) }
    }

    @Test("an RSA signature verifies only with its own algorithm")
    func rsaSignatures() throws {
        let key = Issuer.rsa.signingKey
        let rs256 = try VerifyingKey(publicPEM: Issuer.rsa.publicPEM, algorithm: .rs256, keyID: nil)
        let ps256 = try VerifyingKey(publicPEM: Issuer.rsa.publicPEM, algorithm: .ps256, keyID: nil)
        let input = Array("input".utf8)
        let digest = SHA256.hash(data: input)
        let pkcs1 = Array(try key.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation)
        let pss = Array(try key.signature(for: digest, padding: .PSS).rawRepresentation)
        let sha512 = Array(
            try key.signature(for: SHA512.hash(data: input), padding: .insecurePKCS1v1_5).rawRepresentation
        )
        #expect(rs256.isValid(pkcs1, of: input) && ps256.isValid(pss, of: input))
        #expect(!rs256.isValid(pss, of: input) && !ps256.isValid(pkcs1, of: input))
        #expect(!rs256.isValid(sha512, of: input))
        for bad in [[], [0] + pkcs1, pkcs1 + [0], [UInt8](repeating: 0, count: pkcs1.count)] {
            #expect(!rs256.isValid(bad, of: input) && !ps256.isValid(bad, of: input))
        }
    }
}
