package import GatewayModel

/// The part of a ``GatewayStore`` with brands, their apps, lanes and credentials, and the sealed secrets of these.
package protocol TenantStore: Sendable {
    /// Stores a new brand.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - audit: The audit entry, written in the same transaction; nil writes none.
    /// - Throws: `StorageError`, ``StorageError/duplicate`` when the id is taken.
    func insertBrand(_ brand: Brand, audit: AuditEntry?) async throws(StorageError)

    /// Replaces a brand's name, settings and webhook.
    ///
    /// A new webhook begins at the end of the feed; a changed one is tried at once.
    ///
    /// - Parameters:
    ///   - brand: The brand as it should be.
    ///   - audit: The audit entry, written in the same transaction; nil writes none.
    /// - Returns: False when no brand has its id.
    /// - Throws: `StorageError`.
    func updateBrand(_ brand: Brand, audit: AuditEntry?) async throws(StorageError) -> Bool

    /// Deletes a brand with everything that belongs to it.
    ///
    /// From then on nothing of it is found, not even by a new brand with the same id.
    /// ``HousekeepingBatch/Work/deletedBrands`` removes its rows.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - audit: The audit entry, written in the same transaction; nil writes none. The audit trail itself stays.
    /// - Returns: The removed lanes; nil when there is no such brand.
    /// - Throws: `StorageError`.
    func deleteBrand(_ brand: BrandID, audit: AuditEntry?) async throws(StorageError) -> [LaneID]?

    /// Returns all brands, by id.
    ///
    /// - Returns: All of them: an instance has few.
    /// - Throws: `StorageError`.
    func brands() async throws(StorageError) -> [Brand]

    /// Stores an app, new or changed, and creates its lanes.
    ///
    /// - Parameters:
    ///   - app: The app with its sealed settings.
    ///   - lanes: The lanes that its settings allow; each gets a permanent number.
    ///   - audit: The audit entry, written in the same transaction; nil writes none.
    /// - Returns: True when the app is new.
    /// - Throws: `StorageError`.
    func putApp(_ app: StoredApp, lanes: [LaneKey], audit: AuditEntry?) async throws(StorageError) -> Bool

    /// Deletes an app.
    ///
    /// From then on no registration of it is found, registered or pushed to, not even by a new app with the same id,
    /// which has lanes of its own. ``HousekeepingBatch/Work/deletedApps`` ends the registrations and their pending
    /// deliveries; until then the deliveries are listed in their present state.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - app: The app.
    ///   - audit: The audit entry, written in the same transaction; nil writes none.
    /// - Returns: The removed lanes; nil when there is no such app.
    /// - Throws: `StorageError`.
    func deleteApp(
        brand: BrandID,
        app: AppID,
        audit: AuditEntry?
    ) async throws(StorageError) -> [LaneID]?

    /// Returns all apps of all brands.
    ///
    /// - Returns: All of them: an instance has few.
    /// - Throws: `StorageError`.
    func apps() async throws(StorageError) -> [StoredApp]

    /// Returns all lanes.
    ///
    /// - Returns: The key of each lane's number.
    /// - Throws: `StorageError`.
    func lanes() async throws(StorageError) -> [LaneID: LaneKey]

    /// Stores a new credential.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - audit: The audit entry, written in the same transaction; nil writes none.
    /// - Throws: `StorageError`, ``StorageError/duplicate`` when its id, or its name among SDK keys, is taken in the
    ///   instance, even by a revoked credential.
    func insertCredential(_ credential: StoredCredential, audit: AuditEntry?) async throws(StorageError)

    /// Marks a credential as revoked; the sessions that it opened end with it, and it opens no more.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - id: The credential.
    ///   - now: The time of the change.
    ///   - audit: The audit entry, written in the same transaction; nil writes none.
    /// - Returns: False when the brand has no such credential that is not revoked already.
    /// - Throws: `StorageError`.
    func revokeCredential(
        brand: BrandID,
        id: String,
        now: Timestamp,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool

    /// Returns all credentials of all brands that are not revoked.
    ///
    /// - Returns: All of them: an instance has few.
    /// - Throws: `StorageError`.
    func credentials() async throws(StorageError) -> [StoredCredential]

    /// Replaces all sealed secrets in one transaction, and reads them again before the commit.
    ///
    /// Nothing else may write meanwhile: a secret that is stored later is sealed by its writer. In the same transaction
    /// the audit trail of each brand gets an entry ``AuditAction/masterKeyRotated`` of the process. Without any sealed
    /// secret nothing is done and nothing is written.
    ///
    /// - Parameters:
    ///   - now: The time for the audit trail.
    ///   - reseal: Seals a secret under the new key; called once for each, on a thread of the engine. Nil aborts.
    ///   - verify: Checks a secret as it is now stored, after all were replaced; false aborts.
    /// - Returns: The numbers of replaced secrets.
    /// - Throws: `StorageError`, ``StorageError/constraint(detail:)`` when a function aborted; then nothing is changed.
    ///   After another error either nothing or everything is replaced: the next opening of the store shows which.
    func resealSecrets(
        at now: Timestamp,
        _ reseal: @escaping @Sendable (SealedSecret) -> [UInt8]?,
        verify: @escaping @Sendable (SealedSecret) -> Bool
    ) async throws(StorageError) -> ResealedCounts
}
