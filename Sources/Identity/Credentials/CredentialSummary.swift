package import GatewayModel
internal import GatewayStorage

/// A credential as operators may see it: everything but its secret.
package struct CredentialSummary: Sendable, Equatable {
    /// Its id; for a service account the Basic user, for a key its `kid`.
    package var id: String
    /// Its name; for an SDK key what assertions name it by.
    package var name: String
    /// What is public about it.
    package var details: CredentialDetails
    /// When it ends by itself.
    package var expiresAt: Timestamp?
    /// When it was made.
    package var createdAt: Timestamp

    /// What kind it is.
    package var kind: CredentialKind { details.kind }

    init(_ credential: StoredCredential) {
        id = credential.id
        name = credential.name
        details = credential.details
        expiresAt = credential.expiresAt
        createdAt = credential.createdAt
    }
}
