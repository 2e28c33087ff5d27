import Cryptography
import FoundationEssentials
import GatewayModel
import TextFormats

/// A Google service account: signs the assertions that are exchanged for access tokens (ProviderFacts page, B1).
struct ServiceAccountKey: Sendable {
    /// The identity of a service account; two apps with the same one share a token.
    struct Identity: Hashable {
        var email: String
        var keyID: String
        var tokenEndpoint: String
        var modulus: [UInt8]
    }

    static let scope = "https://www.googleapis.com/auth/firebase.messaging"

    /// The longest lifetime that Google allows, in seconds.
    private static let lifetimeSeconds: Int64 = 3600

    let email: String
    let keyID: String
    let tokenEndpoint: String
    let key: RSA.PrivateKey

    var identity: Identity {
        Identity(
            email: email,
            keyID: keyID,
            tokenEndpoint: tokenEndpoint,
            modulus: key.publicKey.derRepresentation
        )
    }

    /// Signs an assertion: RS256, with the scope as a claim.
    func assertion(at now: Timestamp) throws -> String {
        var header = JSONWriter(capacity: 128)
        header.literal("{\"alg\":\"RS256\",\"typ\":\"JWT\",\"kid\":")
        header.string(keyID)
        header.literal("}")
        var claims = JSONWriter(capacity: 320)
        claims.literal("{\"iss\":")
        claims.string(email)
        claims.literal(",\"scope\":")
        claims.string(Self.scope)
        claims.literal(",\"aud\":")
        claims.string(tokenEndpoint)
        claims.literal(",\"iat\":")
        claims.integer(now.seconds)
        claims.literal(",\"exp\":")
        claims.integer(now.seconds + Self.lifetimeSeconds)
        claims.literal("}")
        let input = StrictBase64.encode(header.bytes, .url) + "." + StrictBase64.encode(claims.bytes, .url)
        return input + "." + StrictBase64.encode(try key.signature(for: input.utf8, padding: .pkcs1), .url)
    }
}
