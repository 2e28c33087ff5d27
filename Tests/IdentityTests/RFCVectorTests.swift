import Crypto
import GatewayModel
import Testing
import TextFormats

@testable import Identity

@Suite("The examples of the RFCs give the printed results")
struct RFCVectorTests {
    private static func members(_ json: String) throws -> StrictJSON.Members {
        try #require(try StrictJSON.parse(Array(json.utf8)).members)
    }

    private static func bytes(_ base64URL: some StringProtocol) throws -> [UInt8] {
        try #require(StrictBase64.decode(Array(base64URL.utf8), .url))
    }

    /// Returns the signed input and the signature: the contents of some examples are not JSON.
    private static func parts(_ token: String) throws -> (input: [UInt8], signature: [UInt8]) {
        let dot = try #require(token.lastIndex(of: "."))
        return (Array(token[..<dot].utf8), try bytes(token[token.index(after: dot)...]))
    }

    @Test(
        "signatures of RFC 7515 A.2 and A.3 and of RFC 7520 4.1 verify with their keys only",
        arguments: [
            (RFCVectors.appendixA2Key, RFCVectors.appendixA2, SignatureAlgorithm.rs256),
            (RFCVectors.appendixA3Key, RFCVectors.appendixA3, .es256),
            (RFCVectors.cookbook41Key, RFCVectors.cookbook41, .rs256),
        ]
    )
    func signatures(_ jwk: String, _ token: String, _ algorithm: SignatureAlgorithm) throws {
        let key = try VerifyingKey(jwk: Self.members(jwk), algorithm: algorithm)
        let (input, signature) = try Self.parts(token)
        #expect(key.isValid(signature, of: input))
        #expect(!key.isValid(signature, of: input + [0]))
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.isValid(changed, of: input))
        }
        #expect(!key.isValid(signature + [0], of: input))
        #expect(!key.isValid([0] + signature, of: input))
        #expect(!key.isValid(Array(signature.dropLast()), of: input))
        #expect(!key.isValid([], of: input))
    }

    @Test("the MAC of RFC 7520 4.4 verifies with its key")
    func cookbookHMAC() throws {
        let (input, signature) = try Self.parts(RFCVectors.cookbook44)
        let key = SymmetricKey(data: try Self.bytes(RFCVectors.cookbook44Key))
        #expect(Array(HMAC<SHA256>.authenticationCode(for: input, using: key)) == signature)
    }

    @Test("the keys of RFC 7517 appendix A are accepted for their use, and private ones never")
    func keys() throws {
        let rsa = try VerifyingKey(jwk: Self.members(RFCVectors.keySetRSA), algorithm: .rs256)
        #expect(rsa.keyID == "2011-04-29")
        #expect(throws: KeyRejection.wrongUse) {
            try VerifyingKey(jwk: Self.members(RFCVectors.keySetEC), algorithm: .es256)
        }
        #expect(throws: KeyRejection.privateKey) {
            try VerifyingKey(jwk: Self.members(RFCVectors.keySetPrivateEC), algorithm: .es256)
        }
    }

    @Test(
        "the tokens of RFC 7516 A.1 and of RFC 7520 5.2 and 5.5 decrypt",
        arguments: [
            (
                RFCVectors.encryptionA1, RFCVectors.encryptionA1Key, KeyEncryptionAlgorithm.rsaOAEP,
                "The true sign of intelligence is not knowledge but imagination."
            ),
            (RFCVectors.cookbook52, RFCVectors.cookbook52Key, .rsaOAEP, RFCVectors.cookbookContent),
            (RFCVectors.cookbook55, RFCVectors.cookbook55Key, .ecdhES, RFCVectors.cookbookContent),
        ]
    )
    func encryption(_ token: String, _ pem: String, _ algorithm: KeyEncryptionAlgorithm, _ content: String) throws {
        let jwe = try CompactJWE(Array(token.utf8))
        #expect(jwe.algorithm == algorithm)
        let key = try OpeningKey(privatePEM: pem, algorithm: algorithm)
        let opened = try jwe.encryption.open(jwe.content, key: key.contentKey(of: jwe))
        #expect(opened == Array(content.utf8))
    }

    @Test("the content of RFC 7516 appendix B decrypts with the printed key, and with no changed part")
    func appendixB() throws {
        let parts = RFCVectors.encryptionA3.split(separator: ".")
        let content = ClosedContent(
            initializationVector: try Self.bytes(parts[2]),
            ciphertext: try Self.bytes(parts[3]),
            tag: try Self.bytes(parts[4]),
            additionalData: Array(parts[0].utf8)
        )
        let key: [UInt8] = [
            4, 211, 31, 197, 84, 157, 252, 254, 11, 100, 157, 250, 63, 170, 106, 206, 107, 124, 212, 45, 111, 107, 9,
            219, 200, 177, 0, 240, 143, 156, 44, 207,
        ]
        let encryption = ContentEncryption.a128CBCHS256
        #expect(encryption.open(content, key: key) == Array("Live long and prosper.".utf8))
        #expect(encryption.open(content, key: Array(key.reversed())) == nil)
        #expect(encryption.open(content, key: Array(key.dropLast())) == nil)
        #expect(ContentEncryption.a256GCM.open(content, key: key) == nil)
        let members: [WritableKeyPath<ClosedContent, [UInt8]>] = [
            \.initializationVector, \.ciphertext, \.tag, \.additionalData,
        ]
        for member in members {
            for index in content[keyPath: member].indices {
                var changed = content
                changed[keyPath: member][index] ^= 0x80
                #expect(encryption.open(changed, key: key) == nil)
            }
            var shorter = content
            shorter[keyPath: member].removeLast()
            #expect(encryption.open(shorter, key: key) == nil)
        }
        #expect(throws: AuthenticationError.tokenInvalid(.wrongAlgorithm)) {
            try CompactJWE(Array(RFCVectors.encryptionA3.utf8))
        }
    }

    @Test("the key of RFC 7518 appendix C is derived")
    func keyDerivation() throws {
        let key = ConcatKDF.key(
            of: try Self.bytes(RFCVectors.agreementSecret),
            bits: 128,
            algorithm: "A128GCM",
            partyU: Array("Alice".utf8),
            partyV: Array("Bob".utf8)
        )
        #expect(StrictBase64.encode(key, .url) == "VqqN6vgjbSBcIijNcacQGg")
    }
}
