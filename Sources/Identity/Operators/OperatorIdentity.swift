package import GatewayModel
package import GatewayStorage

/// An operator who is signed in.
package struct OperatorIdentity: Sendable, Equatable {
    /// The account.
    package var name: OperatorName
    /// Its roles.
    package var grants: [OperatorGrant]
    /// The SHA-256 of the session's token.
    package var tokenHash: [UInt8]
    /// When the session ends at the latest.
    package var expiresAt: Timestamp

    /// Returns whether the operator has a permission in a brand.
    package func allows(_ scope: Scope, in brand: BrandID) -> Bool {
        grants.role(in: brand)?.scopes.allows(scope) ?? false
    }

    /// Whether the operator may do whatever the holder of the admin token may.
    package var isInstanceAdmin: Bool { grants.role(in: nil) == .admin }
}

/// The reason why an operator was not signed in, or an account not changed.
package enum OperatorError: Error, Sendable, Equatable {
    /// Another name, or another password: indistinguishable.
    case unauthorized
    /// There were too many wrong passwords for the name or from the address.
    case limited(seconds: Int)
    /// Too many passwords wait to be hashed.
    case busy
    /// OpenSSL does not hash passwords by scrypt, by its policy or for lack of memory.
    case unavailable
    /// There is such an account already.
    case duplicate
    /// There are as many accounts as an instance may have.
    case tooMany
    /// There is no such account.
    case notFound
    /// The store failed.
    case storage(StorageError)
}
