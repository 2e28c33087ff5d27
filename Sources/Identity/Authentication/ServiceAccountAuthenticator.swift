internal import Cryptography
package import GatewayModel
internal import TextFormats

/// Authenticates back-ends, and apps by their token broker, by `Basic id:secret` (R2, R4, R178).
///
/// An unknown id and a wrong secret take the same path: the secret is hashed and compared in constant time, with a
/// dummy if there is no such account, and only then is the result known. Thread-safe; it does not read from the disk.
package struct ServiceAccountAuthenticator: Sendable {
    private let directory: Directory
    private let clock: any GatewayClock
    /// The hash that the secrets of unknown ids are compared with: of random bytes, which no secret has.
    private let dummyHash: [UInt8]

    /// Creates an authenticator for the accounts of a directory.
    package init(directory: Directory, clock: any GatewayClock) {
        self.directory = directory
        self.clock = clock
        self.dummyHash = SecretHash.sha256(SecureRandom.bytes(32))
    }

    /// Authenticates the account of a request.
    ///
    /// - Parameters:
    ///   - encoded: The text after `Basic` (``AuthorizationHeader``).
    ///   - brand: The brand of the path; another brand's account is rejected like an unknown one. Nil for a path
    ///     without a brand.
    /// - Returns: The account.
    /// - Throws: ``AuthenticationError/unauthorized``, never anything else.
    package func authenticate(
        basic encoded: String,
        brand: BrandID?
    ) throws(AuthenticationError) -> ServiceAccountIdentity {
        let (id, hash) = try Self.parts(of: encoded)
        let account = directory.serviceAccount(id: id)
        let matches = hash.isEqualInConstantTime(to: account?.secretHash ?? dummyHash)
        guard
            matches,
            let account,
            isActive(account),
            brand == nil || brand == account.identity.brand
        else { throw .unauthorized }
        return account.identity
    }

    /// Authenticates the token broker of a request.
    ///
    /// - Parameters:
    ///   - encoded: The text after `Basic` (``AuthorizationHeader``).
    ///   - brand: The brand of the path; another brand's broker is rejected like an unknown one.
    /// - Returns: The account at Talkdesk.
    /// - Throws: ``AuthenticationError/unauthorized``, never anything else.
    package func authenticate(
        tokenBroker encoded: String,
        brand: BrandID
    ) throws(AuthenticationError) -> TokenBroker {
        let (id, hash) = try Self.parts(of: encoded)
        let broker = directory.tokenBroker(brand: brand, id: id)
        let matches = hash.isEqualInConstantTime(to: broker?.secretHash ?? dummyHash)
        guard matches, let broker, broker.isActive(at: clock.now) else { throw .unauthorized }
        return broker
    }

    /// Authenticates an app by its brand's API key (R130).
    ///
    /// The keys are found by their hashes, so that no comparison depends on the key.
    ///
    /// - Parameter key: The text after `Token` (``AuthorizationHeader``).
    /// - Returns: The holder of the key, without any scope; of any brand.
    /// - Throws: ``AuthenticationError/unauthorized``, never anything else.
    package func authenticate(apiKey key: String) throws(AuthenticationError) -> ServiceAccountIdentity {
        guard key.utf8.count <= 4096,
            let known = directory.snapshot.apiKeys[SecretHash.sha256(key.utf8)], known.isActive(at: clock.now)
        else { throw .unauthorized }
        return known.caller
    }

    /// Returns the id, and the hash of the secret.
    private static func parts(of encoded: String) throws(AuthenticationError) -> (id: String, hash: [UInt8]) {
        guard
            encoded.utf8.count <= 4096,
            let decoded = StrictBase64.decode(encoded.utf8, .standard),
            let colon = decoded.firstIndex(of: UInt8(ascii: ":")),
            let id = String(validating: decoded[..<colon], as: UTF8.self)
        else { throw .unauthorized }
        return (id, SecretHash.sha256(decoded[(colon + 1)...]))
    }

    /// Returns whether an account that was authenticated before is still valid; false once it has expired or was
    /// revoked.
    package func isActive(_ id: String) -> Bool { directory.serviceAccount(id: id).map { isActive($0) } ?? false }

    private func isActive(_ account: ServiceAccount) -> Bool { account.expiresAt.map { clock.now < $0 } ?? true }
}
