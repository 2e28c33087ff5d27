package import GatewayModel
internal import GatewayStorage

/// A credential as operators may read it, without its secret.
package struct CredentialSummary: Sendable, Equatable {
    /// Its id; for a service account the Basic user, for a key its `kid`.
    package var id: String
    /// Its name; for an SDK key the name in its assertions.
    package var name: String
    /// Its public part.
    package var details: CredentialDetails
    /// The expiry.
    package var expiresAt: Timestamp?
    /// The creation time.
    package var createdAt: Timestamp

    /// The kind.
    package var kind: CredentialKind { details.kind }

    init(_ credential: StoredCredential) {
        id = credential.id
        name = credential.name
        details = credential.details
        expiresAt = credential.expiresAt
        createdAt = credential.createdAt
    }
}
