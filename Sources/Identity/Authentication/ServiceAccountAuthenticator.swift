package import GatewayModel
internal import TextFormats

/// Authenticates back-ends by `Basic id:secret` (R2, R4).
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
        guard
            encoded.utf8.count <= 4096,
            let decoded = StrictBase64.decode(encoded.utf8, .standard),
            let colon = decoded.firstIndex(of: UInt8(ascii: ":")),
            let id = String(validating: decoded[..<colon], as: UTF8.self)
        else { throw .unauthorized }
        let hash = SecretHash.sha256(decoded[(colon + 1)...])
        let account = directory.serviceAccount(id: id)
        let matches = ConstantTime.equal(hash, account?.secretHash ?? dummyHash)
        guard
            matches,
            let account,
            isActive(account),
            brand == nil || brand == account.identity.brand
        else { throw .unauthorized }
        return account.identity
    }

    /// Returns whether an account that was authenticated before is still valid.
    ///
    /// - Parameter id: The account.
    /// - Returns: False once it has expired or was revoked.
    package func isActive(_ id: String) -> Bool { directory.serviceAccount(id: id).map { isActive($0) } ?? false }

    private func isActive(_ account: ServiceAccount) -> Bool { account.expiresAt.map { clock.now < $0 } ?? true }
}
