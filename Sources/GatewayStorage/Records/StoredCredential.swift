package import GatewayModel

/// A credential as it is stored.
package struct StoredCredential: Sendable, Equatable {
    /// Its id, unique in the instance; for a service account the Basic user.
    package var id: String
    /// The brand.
    package var brand: BrandID
    /// What kind it is.
    package var kind: CredentialKind
    /// Its name; for an SDK key unique in the instance.
    package var name: String
    /// SHA-256 of a secret that only has to be compared (service accounts); nil for kinds that need it back.
    package var secretHash: [UInt8]?
    /// A secret that is needed back (SDK keys), sealed under the master key.
    package var sealedSecret: [UInt8]?
    /// What a service account may do.
    package var scopes: [Scope]
    /// `HS256`, `HS384` or `HS512` for SDK keys.
    package var algorithm: String?
    /// The app that an SDK key is for, if it is for one.
    package var app: AppID?
    /// When it ends by itself.
    package var expiresAt: Timestamp?
    /// When it was made.
    package var createdAt: Timestamp

    /// Takes the facts of a credential.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - brand: The brand.
    ///   - kind: What kind it is.
    ///   - name: Its name.
    ///   - secretHash: SHA-256 of a secret that only has to be compared.
    ///   - sealedSecret: A secret that is needed back, sealed.
    ///   - scopes: What a service account may do.
    ///   - algorithm: The algorithm of an SDK key.
    ///   - app: The app that an SDK key is for.
    ///   - expiresAt: When it ends by itself.
    ///   - createdAt: When it was made.
    package init(
        id: String,
        brand: BrandID,
        kind: CredentialKind,
        name: String,
        secretHash: [UInt8]?,
        sealedSecret: [UInt8]?,
        scopes: [Scope],
        algorithm: String?,
        app: AppID?,
        expiresAt: Timestamp?,
        createdAt: Timestamp
    ) {
        self.id = id
        self.brand = brand
        self.kind = kind
        self.name = name
        self.secretHash = secretHash
        self.sealedSecret = sealedSecret
        self.scopes = scopes
        self.algorithm = algorithm
        self.app = app
        self.expiresAt = expiresAt
        self.createdAt = createdAt
    }
}
