package import GatewayModel

/// The result of redeeming a code; nothing in the token is verified yet.
package struct CodeRedemption: Sendable {
    /// The id token as the provider sent it.
    package let idToken: String
    /// The provider, with the key that verifies the token.
    package let provider: IdentityProviderDetails
    /// The credential of the provider.
    package let credentialID: String
}
