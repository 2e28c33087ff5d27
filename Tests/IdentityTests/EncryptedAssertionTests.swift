import Crypto
import Foundation
import GatewayModel
import TestSupport
import Testing

@testable import Identity

@Suite(
    "Encrypted assertions decrypt with the brand's keys, and errors do not show the failed step",
    .timeLimit(.minutes(10))
)
struct EncryptedAssertionTests {
    private static let bothEncryptions = ["A256GCM", "A128CBC-HS256"]

    private static func rejection(
        _ gateway: Gateway,
        _ token: String,
        brand: BrandID = Gateway.acme
    ) async -> AuthenticationError? {
        do {
            _ = try await gateway.verifier.verify(token, keyName: nil, brand: brand)
            return nil
        } catch { return error }
    }

    @Test(
        "one of every kind is accepted, with its kid and without",
        arguments: KeyEncryptionAlgorithm.allCases,
        bothEncryptions
    )
    func good(_ algorithm: KeyEncryptionAlgorithm, _ encryption: String) async throws {
        try await Gateway.with { gateway in
            try await gateway.issuer()
            try await gateway.sdkKey("main")
            var (id, sealer) = try await gateway.sealer(algorithm, encryption: encryption)
            for signed in [try Issuer.token(), Signer.token()] {
                sealer.header = [:]
                #expect(await Self.rejection(gateway, try sealer.token(signed)) == nil)
                sealer.header = ["kid": "\"\(id)\"", "cty": #""JWT""#, "typ": #""JWT""#]
                #expect(await Self.rejection(gateway, try sealer.token(signed)) == nil)
                // Foreign keys in the header are ignored.
                sealer.header["jku"] = #""https://evil.example/""#
                sealer.header["x5c"] = #"["AAAA"]"#
                let token = try sealer.token(signed)
                #expect(await Self.rejection(gateway, token) == nil)
                #expect(await Self.rejection(gateway, token, brand: Gateway.other) == .tokenInvalid(.unknownKey))
                let reloaded = AssertionVerifier(
                    directory: try await gateway.reloaded(),
                    publishedKeys: gateway.published,
                    clock: gateway.clock
                )
                #expect(try await reloaded.verify(token, keyName: nil, brand: Gateway.acme).anonymous == false)
            }
        }
    }

    @Test(
        "every decryption error has the same reason",
        arguments: KeyEncryptionAlgorithm.allCases,
        bothEncryptions
    )
    func closed(_ algorithm: KeyEncryptionAlgorithm, _ encryption: String) async throws {
        try await Gateway.with { gateway in
            try await gateway.issuer()
            let (_, sealer) = try await gateway.sealer(algorithm, encryption: encryption)
            let content = Array(try Issuer.token().utf8)
            let good = try sealer.parts(content)
            #expect(await Self.rejection(gateway, good.token) == nil)
            var changes: [(String, (inout Sealer.Parts) -> Void)] = [
                ("tag", { $0.tag[0] ^= 1 }), ("last bit of the tag", { $0.tag[15] ^= 1 }),
                ("tag cut", { $0.tag.removeLast() }), ("tag longer", { $0.tag.append(0) }), ("no tag", { $0.tag = [] }),
                ("ciphertext", { $0.ciphertext[0] ^= 1 }), ("ciphertext cut", { $0.ciphertext.removeLast() }),
                ("ciphertext cut by a block", { $0.ciphertext.removeLast(16) }),
                ("ciphertext longer", { $0.ciphertext.append(0) }), ("no ciphertext", { $0.ciphertext = [] }),
                ("vector", { $0.vector[0] ^= 1 }), ("vector cut", { $0.vector.removeLast() }),
                ("vector longer", { $0.vector.append(0) }), ("no vector", { $0.vector = [] }),
                ("header", { $0.header += " " }),
            ]
            if algorithm != .ecdhES {
                changes += [
                    ("key", { $0.encryptedKey[100] ^= 1 }), ("key cut", { $0.encryptedKey.removeLast() }),
                    ("key longer", { $0.encryptedKey.append(0) }), ("no key", { $0.encryptedKey = [] }),
                    ("key of zeros", { $0.encryptedKey = [UInt8](repeating: 0, count: 384) }),
                    ("key of ones", { $0.encryptedKey = [UInt8](repeating: 0xFF, count: 384) }),
                ]
            }
            for (name, change) in changes {
                var parts = good
                change(&parts)
                #expect(await Self.rejection(gateway, parts.token) == .tokenInvalid(.badSignature), "\(name)")
            }
            // For another key, and with a content key of another length in it.
            let stranger = try AsymmetricKey(newFor: .encryption(algorithm)).publicKey.publicKey
            let other = Sealer(algorithm: algorithm, encryption: encryption, publicPEM: stranger)
            let forOther = try other.parts(content).token
            #expect(await Self.rejection(gateway, forOther) == .tokenInvalid(.badSignature))
            if algorithm != .ecdhES {
                for length in [16, 31, 33, 64] {
                    var wrong = sealer
                    wrong.contentKey = [UInt8](repeating: 7, count: length)
                    if encryption == "A256GCM", length != 16 { continue }
                    let token = try wrong.parts(content).token
                    #expect(await Self.rejection(gateway, token) == .tokenInvalid(.badSignature), "\(length) bytes")
                }
            }
        }
    }

    @Test("an error in the header has its own reason")
    func headers() async throws {
        try await Gateway.with { gateway in
            try await gateway.issuer()
            let (id, sealer) = try await gateway.sealer()
            let (_, others) = try await gateway.sealer(brand: Gateway.other)
            let revoked = try await gateway.sealer()
            try await gateway.directory.revokeCredential(brand: Gateway.acme, id: revoked.id)
            let ended = try await gateway.sealer(expiresAt: gateway.clock.now)
            let table: [([String: String?], TokenInvalidReason)] = [
                (["alg": #""RSA1_5""#], .wrongAlgorithm), (["alg": #""dir""#], .wrongAlgorithm),
                (["alg": #""none""#], .wrongAlgorithm), (["alg": #""RSA-OAEP""#], .wrongAlgorithm),
                (["alg": #""ECDH-ES""#], .wrongAlgorithm), (["alg": nil], .wrongAlgorithm),
                (["alg": #""rsa-oaep-256""#], .wrongAlgorithm), (["alg": "7"], .wrongAlgorithm),
                (["alg": #""RSA-OAEP""#, "kid": "\"\(id)\""], .wrongAlgorithm),
                (["enc": #""A128GCM""#], .wrongAlgorithm), (["enc": nil], .wrongAlgorithm),
                (["enc": #""A256CBC-HS512""#], .wrongAlgorithm), (["enc": "null"], .wrongAlgorithm),
                (["zip": #""DEF""#], .malformed), (["zip": "null"], .malformed), (["crit": "[]"], .malformed),
                (["kid": #""jwe_unknown""#], .unknownKey), (["kid": "7"], .unknownKey), (["kid": #""""#], .unknownKey),
                (["kid": "null"], .unknownKey), (["kid": "\"\(revoked.id)\""], .revoked),
                (["kid": "\"\(ended.id)\""], .revoked), (["enc": #""A128CBC-HS256""#], .badSignature),
                (["x\",\"enc": #""A256GCM""#], .malformed),
            ]
            let signed = try Issuer.token()
            for (changes, reason) in table {
                var hostile = sealer
                hostile.header = changes
                let token = try hostile.token(signed)
                #expect(await Self.rejection(gateway, token) == .tokenInvalid(reason), "\(changes)")
            }
            var foreign = others
            foreign.header["kid"] = "\"\(id)\""
            #expect(await Self.rejection(gateway, try foreign.token(signed)) == .tokenInvalid(.badSignature))
        }
    }

    @Test("the sender's key must be a point of P-256, and there must be no encrypted key")
    func keyAgreement() async throws {
        try await Gateway.with { gateway in
            try await gateway.issuer()
            let (_, sealer) = try await gateway.sealer(.ecdhES)
            let point = Array(P256.KeyAgreement.PrivateKey().publicKey.rawRepresentation)
            let (x, y) = (Array(point.prefix(32)), Array(point.suffix(32)))
            let zero = [UInt8](repeating: 0, count: 32)
            var off = y
            off[31] ^= 1
            let good = Sealer.jwk(x: x, y: y)
            let bad: [[String: String?]] = [
                ["epk": nil], ["epk": "null"], ["epk": "{}"], ["epk": "\"x\""], ["epk": Sealer.jwk(x: x, y: off)],
                ["epk": Sealer.jwk(x: y, y: x)], ["epk": Sealer.jwk(x: zero, y: zero)],
                ["epk": Sealer.jwk(x: [UInt8](repeating: 0xFF, count: 32), y: y)],
                ["epk": Sealer.jwk(x: Array(x.dropLast()), y: y)], ["epk": Sealer.jwk(x: [0] + x, y: y)],
                ["epk": good.replacing("P-256", with: "P-384")], ["epk": good.replacing("EC", with: "OKP")],
                ["epk": good.dropLast() + #","d":"AA"}"#], ["apu": "7"], ["apu": #""A""#], ["apv": #""QQ==""#],
            ]
            let signed = try Issuer.token()
            for changes in bad {
                var hostile = sealer
                hostile.header = changes
                let token = try hostile.token(signed)
                #expect(await Self.rejection(gateway, token) == .tokenInvalid(.malformed), "\(changes)")
            }
            var parts = try sealer.parts(Array(signed.utf8))
            #expect(await Self.rejection(gateway, parts.token) == nil)
            parts.encryptedKey = [1]
            #expect(await Self.rejection(gateway, parts.token) == .tokenInvalid(.malformed))
            // The parties are part of the key.
            var hostile = sealer
            hostile.header = ["apu": #""QWxpY2U""#]
            #expect(await Self.rejection(gateway, try hostile.token(signed)) == .tokenInvalid(.badSignature))
        }
    }

    @Test("the content must be a signed token")
    func contents() async throws {
        try await Gateway.with { gateway in
            try await gateway.issuer()
            try await gateway.sdkKey("main")
            let (_, sealer) = try await gateway.sealer()
            let unsigned =
                Signer.base64URL(Array(#"{"alg":"none"}"#.utf8)) + "." + Signer.base64URL(Array(Issuer.claims().utf8))
            let signed = try Issuer.token()
            for content in [
                "", Issuer.claims(), unsigned + ".", unsigned, try sealer.token(signed), signed + " ", " " + signed,
                signed + "=", signed + ".", "\"\(signed)\"", String(repeating: "a", count: 9000), "é", "..",
            ] {
                let token = try sealer.token(content)
                #expect(await Self.rejection(gateway, token) == .tokenInvalid(.malformed), "\(content.prefix(40))")
            }
            let none = unsigned + ".AAAA"
            #expect(await Self.rejection(gateway, try sealer.token(none)) == .tokenInvalid(.wrongAlgorithm))
            let bytes = try sealer.parts(Array(signed.utf8) + [0xFF]).token
            #expect(await Self.rejection(gateway, bytes) == .tokenInvalid(.malformed))
        }
    }

    @Test("the format is exact and the size limited")
    func shapes() async throws {
        try await Gateway.with { gateway in
            try await gateway.issuer()
            let (_, sealer) = try await gateway.sealer()
            let good = try sealer.token(try Issuer.token())
            let parts = good.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            let zeros = String(repeating: "A", count: 1 << 20)
            func with(_ index: Int, _ change: (inout String) -> Void) -> String {
                var changed = parts
                change(&changed[index])
                return changed.joined(separator: ".")
            }
            let tokens: [String] = [
                "....", good + "=", " " + good, good + "\n", good + ".", parts.dropLast().joined(separator: "."),
                with(0) { $0 += "=" }, with(3) { $0 += "+" }, with(3) { $0 = zeros },
                with(3) { $0 = String(zeros.prefix(16_384)) }, String(repeating: ".", count: 1 << 20),
            ]
            for token in tokens {
                #expect(await Self.rejection(gateway, token) == .tokenInvalid(.malformed), "\(token.prefix(40))")
            }
        }
    }

    @Test("without a kid a few of the brand's keys are tried, for any of them")
    func severalKeys() async throws {
        try await Gateway.with { gateway in
            try await gateway.issuer()
            let signed = try Issuer.token()
            let revokedIfAlone = try await gateway.sealer(.ecdhES, expiresAt: gateway.clock.now)
            let alone = try revokedIfAlone.sealer.token(signed)
            #expect(await Self.rejection(gateway, alone) == .tokenInvalid(.revoked))
            var sealers: [Sealer] = []
            for _ in 0..<3 {
                sealers.append(try await gateway.sealer(.ecdhES).sealer)
                gateway.clock.advance(seconds: 1)
            }
            for sealer in sealers { #expect(await Self.rejection(gateway, try sealer.token(signed)) == nil) }
            _ = try await gateway.sealer(.ecdhES)
            // One too many: the oldest is not tried any more, unless it is named.
            #expect(await Self.rejection(gateway, try sealers[0].token(signed)) == .tokenInvalid(.badSignature))
            #expect(await Self.rejection(gateway, try sealers[1].token(signed)) == nil)
        }
    }
}
