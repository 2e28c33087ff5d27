package import GatewayModel

/// What an identity provider gave for a code; nothing in the token is verified yet.
package struct CodeRedemption: Sendable {
    /// The id token as the provider sent it.
    package let idToken: String
    /// The provider, which says how the token is verified.
    package let provider: IdentityProviderDetails
    /// The credential that names the provider.
    package let credentialID: String
}
