package import GatewayModel
internal import GatewayStorage

/// A credential as operators may see it: everything but its secret.
package struct CredentialSummary: Sendable, Equatable {
    /// Its id; for a service account the Basic user.
    package var id: String
    /// What kind it is.
    package var kind: CredentialKind
    /// Its name; for an SDK key what assertions name it by.
    package var name: String
    /// What a service account may do.
    package var scopes: [Scope]
    /// The algorithm of an SDK key.
    package var algorithm: HMACAlgorithm?
    /// The app that an SDK key is for.
    package var app: AppID?
    /// When it ends by itself.
    package var expiresAt: Timestamp?
    /// When it was made.
    package var createdAt: Timestamp

    init(_ credential: StoredCredential) {
        id = credential.id
        kind = credential.kind
        name = credential.name
        scopes = credential.scopes
        algorithm = credential.algorithm.flatMap(HMACAlgorithm.init(rawValue:))
        app = credential.app
        expiresAt = credential.expiresAt
        createdAt = credential.createdAt
    }
}
