/// A new credential with its secret, which is shown this once.
package struct IssuedCredential: Sendable {
    /// What may be shown again.
    package var summary: CredentialSummary
    /// The secret: a Basic password, an API key, or the text whose UTF-8 bytes are the HMAC key; nil for kinds whose secret
    /// nobody else needs.
    package var secret: String?
}
