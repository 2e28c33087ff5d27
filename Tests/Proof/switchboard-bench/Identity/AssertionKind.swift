import Crypto
import CryptoExtras
import Foundation
import GatewayModel
import Identity
import ProcessHarness
import TextFormats

/// A kind of assertion: a token, and its cryptographic primitives alone.
struct AssertionKind {
    /// The name in the report.
    var name: String
    /// A valid token.
    var token: String
    /// Runs the primitives alone, over the same bytes with the same keys; false when verification fails.
    var primitive: () -> Bool
    /// The repetitions in one turn, which takes a fraction of a millisecond.
    var repeats: Int
}

extension AssertionKind {
    /// All kinds, with credentials in a directory that verify them.
    ///
    /// - Parameters:
    ///   - directory: The directory that issues the credentials.
    ///   - brand: Their brand.
    /// - Returns: The kinds.
    /// - Throws: An error when a key or a credential is rejected.
    static func all(_ directory: Directory, _ brand: BrandID) async throws -> [AssertionKind] {
        let secret = "a-secret-of-forty-bytes-for-the-benchmark"
        _ = try await directory.issue(.sdkKey(algorithm: .hs256, secret: secret, app: nil), brand: brand, name: "sdk")
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let curve = P256.Signing.PrivateKey()
        try await issue(.rs256, rsa.publicKey.pemRepresentation, directory, brand)
        try await issue(.es256, curve.publicKey.pemRepresentation, directory, brand)
        let opening = try OpenSSLKey(bits: 2048)
        let pem = opening.privatePEM
        _ = try await directory.issue(.jweKey(algorithm: .rsaOAEP256, privateKey: pem), brand: brand, name: "jwe")

        let key = SymmetricKey(data: Array(secret.utf8))
        let hmac = SignedInput("HS256", issuer: "sdk", subject: "identifier")
        let code = Array(HMAC<SHA256>.authenticationCode(for: hmac.bytes, using: key))
        let pkcs1 = SignedInput("RS256", issuer: "RS256", subject: "sub")
        let signature = try rsa.signature(for: SHA256.hash(data: pkcs1.bytes), padding: .insecurePKCS1v1_5)
        let ecdsa = SignedInput("ES256", issuer: "ES256", subject: "sub")
        let point = try curve.signature(for: ecdsa.bytes)
        let (publicRSA, publicCurve) = (rsa.publicKey, curve.publicKey)
        let verifyRSA = {
            publicRSA.isValidSignature(signature, for: SHA256.hash(data: pkcs1.bytes), padding: .insecurePKCS1v1_5)
        }
        let signed = pkcs1.token(Array(signature.rawRepresentation))
        let (encrypted, wrapped) = try encrypt(signed, opening.publicPEM)
        return [
            AssertionKind(
                name: "HS256",
                token: hmac.token(code),
                primitive: {
                    HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: hmac.bytes, using: key)
                },
                repeats: 20
            ),
            AssertionKind(name: "RS256", token: signed, primitive: verifyRSA, repeats: 8),
            AssertionKind(
                name: "ES256",
                token: ecdsa.token(Array(point.rawRepresentation)),
                primitive: {
                    publicCurve.isValidSignature(point, for: ecdsa.bytes)
                },
                repeats: 3
            ),
            AssertionKind(
                name: "RS256 in RSA-OAEP-256 and A256GCM",
                token: encrypted,
                primitive: {
                    opening.decrypt(wrapped)?.count == 32 && verifyRSA()
                },
                repeats: 1
            ),
        ]
    }

    private static func issue(
        _ algorithm: SignatureAlgorithm,
        _ pem: String,
        _ directory: Directory,
        _ brand: BrandID
    ) async throws {
        let key = VerificationKey(
            algorithm: algorithm,
            keyId: nil,
            source: .key(PublicKeyDetails(publicKey: pem, publicKeyFingerprint: ""))
        )
        let name = algorithm.rawValue
        let issuer = JWTIssuerDetails(issuer: name, issuerDisplayName: nil, audience: nil, key: key)
        _ = try await directory.issue(.jwtIssuer(issuer), brand: brand, name: name)
    }

    private static func encrypt(_ content: String, _ pem: String) throws -> (token: String, wrapped: [UInt8]) {
        let contentKey = SymmetricKey(size: .bits256)
        let wrapped = Array(
            try _RSA.Encryption.PublicKey(pemRepresentation: pem).encrypt(
                contentKey.withUnsafeBytes { Array($0) },
                padding: .PKCS1_OAEP_SHA256
            )
        )
        let head = StrictBase64.encode(Array(#"{"alg":"RSA-OAEP-256","enc":"A256GCM","cty":"JWT"}"#.utf8), .url)
        let box = try AES.GCM.seal(
            Array(content.utf8),
            using: contentKey,
            authenticating: Array(head.utf8)
        )
        let parts = [wrapped, Array(box.nonce), Array(box.ciphertext), Array(box.tag)]
        return (([head] + parts.map { StrictBase64.encode($0, .url) }).joined(separator: "."), wrapped)
    }
}

/// The first two parts of a token, of a usual size.
private struct SignedInput {
    let text: String
    let bytes: [UInt8]

    init(_ algorithm: String, issuer: String, subject: String) {
        let now = SystemClock().now.seconds
        let claims = """
            {"iss":"\(issuer)","\(subject)":"8f14e45f-ceea-467f-a0e6-0123456789ab","iat":\(now),"exp":\(now + 3600),\
            "name":"Ann Example","email":"ann@example.com","phone":"+4915112345678","locale":"de-DE"}
            """
        let head = StrictBase64.encode(Array(#"{"alg":"\#(algorithm)","typ":"JWT"}"#.utf8), .url)
        text = head + "." + StrictBase64.encode(Array(claims.utf8), .url)
        bytes = Array(text.utf8)
    }

    func token(_ signature: [UInt8]) -> String { text + "." + StrictBase64.encode(signature, .url) }
}
