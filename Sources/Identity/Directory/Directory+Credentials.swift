package import GatewayModel
import GatewayStorage

extension Directory {
    /// The maximum of a brand's credentials: more than any brand needs, and only about 2 MB of memory.
    package static let maxCredentialsPerBrand = 1000

    /// Creates a credential, or imports one that the brand has.
    ///
    /// Names are for people and need not be unique, except for SDK keys, which assertions refer to by name: theirs are
    /// unique in the instance, including revoked ones. To rotate a key without a gap, create the second while the first
    /// is still valid, and revoke the first when nobody uses it any more.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - brand: The brand.
    ///   - name: Its name, 1 to 256 bytes.
    ///   - expiresAt: The expiry.
    ///   - origin: The caller.
    /// - Returns: The credential, with its secret if its user must get one.
    /// - Throws: ``DirectoryError/invalid(_:)``, ``DirectoryError/duplicate`` and others of ``DirectoryError``.
    package func issue(
        _ request: CredentialRequest,
        brand: BrandID,
        name: String,
        expiresAt: Timestamp? = nil,
        by origin: AuditOrigin = .gateway
    ) async throws(DirectoryError) -> IssuedCredential {
        // Checked before a key is generated in vain; the gate checks again.
        try checkRoom(in: brand, of: snapshot)
        let made = try await keyWork.run(of: brand) {
            Result { () throws(DirectoryError) in try CredentialParts(request) }
        }
        let parts = try made.get()
        let context = Self.sealingContext(brand: brand, credential: parts.id)
        var sealed: [UInt8]?
        if let material = parts.material { sealed = try seal(material, context: context) }
        let credential = StoredCredential(
            id: parts.id,
            brand: brand,
            name: name,
            details: parts.details,
            secretHash: parts.password.map { SecretHash.sha256($0.utf8) },
            sealedSecret: sealed,
            expiresAt: expiresAt,
            createdAt: clock.now
        )
        try await insert(credential, by: origin)
        return IssuedCredential(summary: CredentialSummary(credential), secret: parts.shownSecret)
    }

    /// Returns a brand's credential that is not revoked, without its secret; nil when the brand has no such credential.
    package func credential(brand: BrandID, id: String) -> CredentialSummary? {
        snapshot.credential(id).flatMap { $0.brand == brand ? CredentialSummary($0) : nil }
    }

    /// Revokes a credential: it and the sessions that it opened are rejected from the moment that this returns (R33);
    /// throws ``DirectoryError/notFound`` and others of ``DirectoryError``.
    package func revokeCredential(
        brand: BrandID,
        id: String,
        by origin: AuditOrigin = .gateway
    ) async throws(DirectoryError) {
        try await gate.run(of: brand) { () async throws(DirectoryError) in
            let now = clock.now
            let audit = entry(.credentialRevoked, brand: brand, target: id, by: origin)
            let isRevoked = try await stored { () async throws(StorageError) in
                try await self.store.revokeCredential(brand: brand, id: id, now: now, audit: audit)
            }
            // Also when it is already revoked in the store: an earlier call may have failed after the commit, and its
            // repetition must not leave the credential active.
            if let credential = snapshot.credential(id), credential.brand == brand {
                var next = snapshot
                next.removeCredential(id)
                next.rememberRevoked(credential)
                publish(next)
            }
            guard isRevoked else { throw .notFound }
        }
    }

    private func insert(_ credential: StoredCredential, by origin: AuditOrigin) async throws(DirectoryError) {
        guard EventID.isValid(credential.name) else {
            let detail = "must be 1 to 256 bytes of text without control characters"
            throw .invalid([SettingsProblem(pointer: "/name", detail: detail)])
        }
        let brand = credential.brand
        try await gate.run(of: brand) { () async throws(DirectoryError) in
            try checkRoom(in: brand, of: snapshot)
            if let app = credential.details.app, self.app(brand: brand, app: app) == nil {
                throw .invalid([SettingsProblem(pointer: "/app", detail: "is not an app of the brand")])
            }
            let changes = MemberDifference.names(from: nil, to: credential.details)
            let audit = entry(.credentialIssued, brand: brand, target: credential.id, changes: changes, by: origin)
            try await stored { () async throws(StorageError) in
                try await self.store.insertCredential(credential, audit: audit)
            }
            var next = snapshot
            try next.insert(credential, box)
            publish(next)
        }
    }

    private func checkRoom(in brand: BrandID, of snapshot: DirectorySnapshot) throws(DirectoryError) {
        guard snapshot.brands[brand] != nil else { throw .notFound }
        guard snapshot.credentials.values.count(where: { $0.brand == brand }) < Self.maxCredentialsPerBrand else {
            throw .tooManyCredentials
        }
    }
}
