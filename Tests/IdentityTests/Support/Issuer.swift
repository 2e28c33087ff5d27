import Crypto
import CryptoExtras
import Foundation
import GatewayModel
import Identity

/// Signs as a brand's login system would, and as an attacker would; shares only the generation of RSA keys with the
/// tested code.
enum Issuer {
    static let name = "https://login.example/"

    /// An RSA key that signs.
    struct RSAKey: Sendable {
        let publicPEM: String
        let signingKey: _RSA.Signing.PrivateKey

        /// Creates a key with OpenSSL, which takes a tenth of a second.
        init() {
            guard let key = try? AsymmetricKey(newFor: .encryption(.rsaOAEP256)),
                let signingKey = try? _RSA.Signing.PrivateKey(
                    pemRepresentation: key.privatePEM
                )
            else { preconditionFailure("no key") }
            self.signingKey = signingKey
            publicPEM = key.publicKey.publicKey
        }
    }

    static let rsa = RSAKey()
    static let otherRSA = RSAKey()
    static let ec = P256.Signing.PrivateKey()

    static func publicPEM(_ algorithm: SignatureAlgorithm) -> String {
        algorithm == .es256 ? ec.publicKey.pemRepresentation : rsa.publicPEM
    }

    /// Returns valid claims with a test's changes; nil removes a claim.
    static func claims(_ changes: [String: String?] = [:]) -> String {
        var members: [String: String] = [
            "iss": "\"\(name)\"", "sub": #""consumer-1""#, "iat": "\(Gateway.start)",
            "exp": "\(Gateway.start + 600)",
        ]
        for (name, value) in changes { members[name] = value }
        return object(members)
    }

    static func object(_ members: [String: String]) -> String {
        "{" + members.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",") + "}"
    }

    /// Returns a token, signed with the algorithm for any header.
    static func token(
        _ algorithm: SignatureAlgorithm = .rs256,
        header: String? = nil,
        claims: String = Self.claims(),
        key: RSAKey = Self.rsa
    ) throws -> String {
        let header = header ?? #"{"alg":"\#(algorithm.rawValue)"}"#
        let input = Signer.base64URL(Array(header.utf8)) + "." + Signer.base64URL(Array(claims.utf8))
        return input + "." + Signer.base64URL(try signature(algorithm, input, key))
    }

    static func signature(_ algorithm: SignatureAlgorithm, _ input: String, _ key: RSAKey = Self.rsa) throws -> [UInt8]
    {
        let digest = SHA256.hash(data: Array(input.utf8))
        return switch algorithm {
        case .rs256: Array(try key.signingKey.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation)
        case .ps256: Array(try key.signingKey.signature(for: digest, padding: .PSS).rawRepresentation)
        case .es256: Array(try ec.signature(for: digest).rawRepresentation)
        }
    }

    static func details(
        _ algorithm: SignatureAlgorithm = .rs256,
        issuer: String = Self.name,
        keyId: String? = nil,
        audience: String? = nil,
        source: VerificationKey.Source? = nil
    ) -> JWTIssuerDetails {
        let key = VerificationKey.Source.key(
            PublicKeyDetails(publicKey: publicPEM(algorithm), publicKeyFingerprint: "")
        )
        return JWTIssuerDetails(
            issuer: issuer,
            issuerDisplayName: nil,
            audience: audience,
            key: VerificationKey(algorithm: algorithm, keyId: keyId, source: source ?? key)
        )
    }
}
