package import GatewayModel

/// A brand's identity provider in memory, with the gateway's client secret there.
package struct IdentityProvider: Sendable {
    /// The credential's id.
    package let credentialID: String
    /// Its public part.
    package let details: IdentityProviderDetails
    /// The client secret at its token endpoint, UTF-8.
    package let clientSecret: [UInt8]
    /// The fixed key, parsed when the credential was loaded; nil when the provider publishes its keys.
    let key: VerifyingKey?
    let expiresAt: Timestamp?
    let createdAt: Timestamp
}

extension Directory {
    /// Returns the identity providers of a brand that are neither revoked nor expired, the newest first; a short lock,
    /// no IO.
    package func identityProviders(brand: BrandID) -> [IdentityProvider] {
        let now = clock.now
        return (snapshot.identityProviders[brand] ?? []).filter { provider in
            provider.expiresAt.map { now < $0 } ?? true
        }
    }
}
