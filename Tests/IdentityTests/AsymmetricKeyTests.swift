import Crypto
import GatewayModel
import Testing

@testable import Identity

@Suite("Keys are validated before they are stored")
struct AsymmetricKeyTests {
    private static func rejection(_ body: () throws(KeyRejection) -> Void) -> KeyRejection? {
        do {
            try body()
            return nil
        } catch { return error }
    }

    private static func rejectionOfPublic(_ pem: String, _ algorithm: SignatureAlgorithm) -> KeyRejection? {
        rejection { () throws(KeyRejection) in _ = try AsymmetricKey(publicPEM: pem, for: .signature(algorithm)) }
    }

    /// PKCS#8 encrypted with a password, whose key is derived by PBKDF2 in 2,147,483,647 rounds: an hour of CPU time.
    private static let costly = """
        MH8wSwYJKoZIhvcNAQUNMD4wHQYJKoZIhvcNAQUMMBAECAcHBwcHBwcHAgR/////
        MB0GCWCGSAFlAwQBAgQQCQkJCQkJCQkJCQkJCQkJCQQwAwMDAwMDAwMDAwMDAwMD
        AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMD
        """

    @Test(
        "a private key encrypted with a password is not derived, under any PEM label",
        .timeLimit(.minutes(10)),
        arguments: ["ENCRYPTED PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "ANY PRIVATE KEY"]
    )
    func encrypted(_ label: String) {
        let block = "-----BEGIN \(label)-----\n\(Self.costly)\n-----END \(label)-----\n"
        for pem in [block, "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n" + block] {
            let rejection = Self.rejection { () throws(KeyRejection) in
                _ = try AsymmetricKey(privatePEM: pem, for: .signature(.es256))
            }
            #expect(rejection == .unreadable)
        }
    }

    @Test(
        "a public key is accepted for the algorithms of its type, with openssl's fingerprint",
        arguments: [
            (PublicKeys.rsa2048, SignatureAlgorithm.rs256, PublicKeys.rsa2048Fingerprint),
            (PublicKeys.rsa2048, .ps256, PublicKeys.rsa2048Fingerprint),
            (PublicKeys.p256, .es256, PublicKeys.p256Fingerprint),
        ]
    )
    func good(_ pem: String, _ algorithm: SignatureAlgorithm, _ fingerprint: String) throws {
        let shown = try AsymmetricKey(publicPEM: "text before\n" + pem + "text behind", for: .signature(algorithm))
            .publicKey
        #expect(shown.publicKey == pem)
        #expect(shown.publicKeyFingerprint == fingerprint)
    }

    @Test(
        "a public key of another type or size is rejected with the reason",
        arguments: [
            (
                PublicKeys.rsa2048, SignatureAlgorithm.es256,
                KeyRejection.wrongType(needed: "an elliptic-curve key on P-256")
            ),
            (PublicKeys.p384, .es256, .wrongType(needed: "an elliptic-curve key on P-256")),
            (PublicKeys.ed25519, .es256, .wrongType(needed: "an elliptic-curve key on P-256")),
            (PublicKeys.p256, .rs256, .wrongType(needed: "an RSA key")),
            (PublicKeys.rsaPSS, .ps256, .wrongType(needed: "an RSA key")),
            (PublicKeys.rsa1024, .rs256, .wrongSize(bits: 1024)), ("", .rs256, .unreadable),
            ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", .rs256, .unreadable),
            (String(repeating: "x", count: 20_000), .es256, .unreadable),
        ]
    )
    func bad(_ pem: String, _ algorithm: SignatureAlgorithm, _ expected: KeyRejection) {
        #expect(Self.rejectionOfPublic(pem, algorithm) == expected)
    }

    @Test("a private key in place of a public one is rejected as such")
    func privateForPublic() {
        let pem = P256.Signing.PrivateKey().pemRepresentation
        #expect(Self.rejectionOfPublic(pem, .es256) == .privateKey)
    }

    @Test("a private key is accepted in both forms of PEM, and has its public key")
    func privateKeys() throws {
        let key = P256.Signing.PrivateKey()
        let read = try AsymmetricKey(privatePEM: key.pemRepresentation, for: .signature(.es256))
        #expect(read.publicKey.publicKey.filter { $0 != "\n" } == key.publicKey.pemRepresentation.filter { $0 != "\n" })
        let again = try P256.Signing.PrivateKey(pemRepresentation: read.privatePEM)
        #expect(again.rawRepresentation == key.rawRepresentation)
        let wrong = Self.rejection { () throws(KeyRejection) in
            _ = try AsymmetricKey(privatePEM: PublicKeys.p256, for: .signature(.es256))
        }
        #expect(wrong == .unreadable)
        let other = P384.Signing.PrivateKey().pemRepresentation
        let curve = Self.rejection { () throws(KeyRejection) in
            _ = try AsymmetricKey(privatePEM: other, for: .signature(.es256))
        }
        #expect(curve == .wrongType(needed: "an elliptic-curve key on P-256"))
    }

    @Test(
        "a new key has the algorithm's type, and no two are the same",
        arguments: KeyEncryptionAlgorithm.allCases
    )
    func new(_ algorithm: KeyEncryptionAlgorithm) throws {
        let first = try AsymmetricKey(newFor: .encryption(algorithm))
        let pem = first.privatePEM
        #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----"))
        let read = try AsymmetricKey(privatePEM: pem, for: .encryption(algorithm))
        #expect(read.publicKey == first.publicKey)
        #expect(try AsymmetricKey(newFor: .encryption(algorithm)).publicKey != first.publicKey)
    }

    @Test(
        "a redirect URI is absolute and has no fragment, and may have its own scheme",
        arguments: [
            ("com.example.app:/oauth", true), ("https://app.example/cb?x=1", true), ("myapp://callback", true),
            ("https://app.example/cb#", false), ("https://app.example/cb#x", false), ("/cb", false),
            ("https://", false),
            ("javascript:alert(1)", false), ("", false), ("app://a b", false),
        ]
    )
    func redirects(_ text: String, _ isGood: Bool) {
        #expect((AddressRules.problem(ofRedirectURI: text) == nil) == isGood)
    }
}
