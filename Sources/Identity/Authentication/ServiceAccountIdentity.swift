package import GatewayModel

/// A back-end that has shown its credential.
package struct ServiceAccountIdentity: Sendable, Equatable {
    /// The credential's id.
    package var id: String
    /// Its name, for the audit log.
    package var name: String
    /// The only brand that it may touch (R4, R188).
    package var brand: BrandID
    /// What it may do there.
    package var scopes: Set<Scope>

    /// Whether the account may do something; `brand:admin` may do everything within its brand.
    ///
    /// - Parameter scope: What it wants to do.
    /// - Returns: False is the API's `forbidden`.
    package func allows(_ scope: Scope) -> Bool { scopes.contains(scope) || scopes.contains(.brandAdmin) }
}
