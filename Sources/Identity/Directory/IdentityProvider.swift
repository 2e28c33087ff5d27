package import GatewayModel

/// A brand's identity provider as it is held in memory, with our secret there.
package struct IdentityProvider: Sendable {
    /// The credential's id.
    package let credentialID: String
    /// Everything that is public about it.
    package let details: IdentityProviderDetails
    /// Our secret at its token endpoint, UTF-8.
    package let clientSecret: [UInt8]
    /// The key that was given, read when the credential was taken in; nil when the provider publishes its keys.
    let key: VerifyingKey?
    let expiresAt: Timestamp?
    let createdAt: Timestamp
}

extension Directory {
    /// The identity providers of a brand that are neither revoked nor expired; a short lock, no IO.
    ///
    /// - Parameter brand: The brand.
    /// - Returns: The newest first; empty when there are none, or no such brand.
    package func identityProviders(brand: BrandID) -> [IdentityProvider] {
        let now = clock.now
        return (snapshot.identityProviders[brand] ?? []).filter { provider in
            provider.expiresAt.map { now < $0 } ?? true
        }
    }
}
