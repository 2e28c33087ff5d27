internal import Cryptography
package import GatewayModel
internal import GatewayStorage
internal import TextFormats

/// A brand's account at Talkdesk in memory, with the key that signs the gateway's assertions there (R168).
package struct TokenBroker: Sendable {
    /// The lifetime of an assertion in seconds.
    package static let assertionSeconds: Int64 = 300

    /// Its holder as a caller: of its brand, without any scope.
    package let caller: ServiceAccountIdentity
    /// Its public part.
    package let details: TokenBrokerDetails
    /// The secret that signs requests to the brand's decider; nil when there is none.
    package let decisionSecret: WebhookSecret?
    private let key: P256.PrivateKey
    /// The hash of the secret with which apps and back-ends authenticate.
    let secretHash: [UInt8]
    let expiresAt: Timestamp?
    let createdAt: Timestamp

    /// Creates an account from a stored credential with its opened secrets; nil when they are not those of its details.
    init?(_ credential: StoredCredential, _ details: TokenBrokerDetails, material: [UInt8]) {
        let parts = material.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        guard let secretHash = credential.secretHash,
            parts.count == (details.decisionUrl == nil ? 1 : 2),
            let key = Self.signingKey(parts[0])
        else { return nil }
        caller = ServiceAccountIdentity(
            id: credential.id,
            name: credential.name,
            brand: credential.brand,
            scopes: []
        )
        self.details = details
        decisionSecret = parts.count == 2 ? WebhookSecret(key: Array(parts[1])) : nil
        self.key = key
        self.secretHash = secretHash
        expiresAt = credential.expiresAt
        createdAt = credential.createdAt
    }

    /// The credential's id.
    package var credentialID: String { caller.id }

    /// Returns the key of a PEM text; nil when it cannot be parsed.
    static func signingKey(_ pem: some Sequence<UInt8>) -> P256.PrivateKey? {
        String(validating: pem, as: UTF8.self).flatMap { try? P256.PrivateKey(pemRepresentation: $0) }
    }

    /// Returns the secrets of an account as they are sealed: the PEM text and, after a zero byte that it never has, the
    /// key for requests to the decider.
    static func material(privatePEM: String, decisionKey: [UInt8]?) -> [UInt8] {
        Array(privatePEM.utf8) + (decisionKey.map { [0] + $0 } ?? [])
    }

    /// Signs a new assertion of the gateway's client (RFC 7523 section 2.2) with a `jti` of its own: ES256, valid for
    /// ``assertionSeconds``.
    package func assertion(at now: Timestamp) throws -> String {
        var header = JSONWriter(capacity: 64 + details.keyId.utf8.count)
        header.literal(#"{"alg":"ES256","typ":"JWT""#)
        header.member("kid", details.keyId)
        header.literal("}")
        var claims = JSONWriter(capacity: 256 + details.tokenUrl.utf8.count)
        claims.literal("{")
        claims.member("jti", StrictBase64.encode(SecureRandom.bytes(16), .url))
        claims.member("iss", details.clientId)
        claims.member("sub", details.clientId)
        claims.member("aud", details.tokenUrl)
        claims.member("iat", now.seconds)
        claims.member("exp", now.seconds + Self.assertionSeconds)
        claims.literal("}")
        let signed = StrictBase64.encode(header.bytes, .url) + "." + StrictBase64.encode(claims.bytes, .url)
        return signed + "." + StrictBase64.encode(try key.signature(for: signed.utf8), .url)
    }

    func isActive(at now: Timestamp) -> Bool { expiresAt.map { now < $0 } ?? true }
}

extension Directory {
    /// Returns the newest account of an app that is neither revoked nor expired, or nil; a short lock, no IO.
    package func tokenBroker(brand: BrandID, app: AppID) -> TokenBroker? {
        let now = clock.now
        return snapshot.tokenBrokers[DirectorySnapshot.AppKey(brand: brand, app: app)]?.first { $0.isActive(at: now) }
    }

    /// Returns an account that is not revoked.
    func tokenBroker(brand: BrandID, id: String) -> TokenBroker? {
        let snapshot = snapshot
        guard let credential = snapshot.credential(id), credential.brand == brand, let app = credential.details.app
        else { return nil }
        let key = DirectorySnapshot.AppKey(brand: brand, app: app)
        return snapshot.tokenBrokers[key]?.first { $0.credentialID.hasSameBytes(as: credential.id) }
    }
}
