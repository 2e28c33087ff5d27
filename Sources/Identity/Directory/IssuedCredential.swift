/// A new credential with its secret, which is shown this once.
package struct IssuedCredential: Sendable {
    /// What may be shown again.
    package var summary: CredentialSummary
    /// The secret: the Basic password, or the text whose UTF-8 bytes are the HMAC key.
    package var secret: String
}
