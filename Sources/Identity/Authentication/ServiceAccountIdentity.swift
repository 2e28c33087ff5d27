package import GatewayModel

/// An authenticated back-end.
package struct ServiceAccountIdentity: Sendable, Equatable {
    /// The credential's id.
    package var id: String
    /// Its name, for the audit log.
    package var name: String
    /// The only brand that it may access (R4, R188).
    package var brand: BrandID
    /// Its permissions there.
    package var scopes: Set<Scope>

    /// Returns whether the account has a permission within its brand.
    ///
    /// - Returns: False stands for the API's `forbidden`.
    package func allows(_ scope: Scope) -> Bool { scopes.allows(scope) }
}
