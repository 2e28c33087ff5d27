package import GatewayModel

/// A credential as it is stored.
package struct StoredCredential: Sendable, Equatable {
    /// Its id, unique in the instance; for a service account the Basic user, for a key its `kid`.
    package var id: String
    /// The brand.
    package var brand: BrandID
    /// Its name; for an SDK key unique in the instance.
    package var name: String
    /// Its public details.
    package var details: CredentialDetails
    /// SHA-256 of a secret that callers present and that is only compared; nil for kinds without one.
    package var secretHash: [UInt8]?
    /// A secret that is needed in clear (an HMAC key, a private key, a client's secret), sealed under the master key;
    /// nil for kinds without one.
    package var sealedSecret: [UInt8]?
    /// When it expires.
    package var expiresAt: Timestamp?
    /// When it was created.
    package var createdAt: Timestamp

    /// Its kind.
    package var kind: CredentialKind { details.kind }

    /// Creates a credential.
    package init(
        id: String,
        brand: BrandID,
        name: String,
        details: CredentialDetails,
        secretHash: [UInt8]?,
        sealedSecret: [UInt8]?,
        expiresAt: Timestamp?,
        createdAt: Timestamp
    ) {
        self.id = id
        self.brand = brand
        self.name = name
        self.details = details
        self.secretHash = secretHash
        self.sealedSecret = sealedSecret
        self.expiresAt = expiresAt
        self.createdAt = createdAt
    }
}
