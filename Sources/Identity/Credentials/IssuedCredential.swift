/// A new credential with its secret, which is shown only once.
package struct IssuedCredential: Sendable {
    /// The part that may be shown again.
    package var summary: CredentialSummary
    /// The secret: a Basic password, an API key, or the text whose UTF-8 bytes are the HMAC key; nil for kinds whose
    /// secret nobody else needs.
    package var secret: String?
}
