package import GatewayModel

/// The part of a ``GatewayStore`` with brands, their apps, lanes, credentials and helpdesks' webhooks, and the sealed
/// secrets of these.
///
/// An audit entry is written in the same transaction as the change; nil writes none.
package protocol TenantStore: Sendable {
    /// Stores a new brand; throws ``StorageError/duplicate`` when the id is taken.
    func insertBrand(_ brand: Brand, audit: AuditEntry?) async throws(StorageError)

    /// Replaces a brand's name, settings and webhook; false when no brand has its id.
    ///
    /// A new webhook begins at the end of the feed; a changed one is tried at once.
    func updateBrand(_ brand: Brand, audit: AuditEntry?) async throws(StorageError) -> Bool

    /// Deletes a brand with everything that belongs to it but the audit trail, and returns the removed lanes; nil when
    /// there is no such brand.
    ///
    /// From then on nothing of it is found, not even by a new brand with the same id.
    /// ``HousekeepingBatch/Work/deletedBrands`` removes its rows.
    func deleteBrand(_ brand: BrandID, audit: AuditEntry?) async throws(StorageError) -> [LaneID]?

    /// Returns all brands, by id: an instance has few.
    func brands() async throws(StorageError) -> [Brand]

    /// Stores an app with its sealed settings, new or changed, and creates the lanes that its settings allow, each with
    /// a permanent number; true when the app is new.
    func putApp(_ app: StoredApp, lanes: [LaneKey], audit: AuditEntry?) async throws(StorageError) -> Bool

    /// Deletes an app, and returns the removed lanes; nil when there is no such app.
    ///
    /// From then on no registration of it is found, registered or pushed to, not even by a new app with the same id,
    /// which has lanes of its own. ``HousekeepingBatch/Work/deletedApps`` ends the registrations and their pending
    /// deliveries; until then the deliveries are listed in their present state.
    func deleteApp(
        brand: BrandID,
        app: AppID,
        audit: AuditEntry?
    ) async throws(StorageError) -> [LaneID]?

    /// Returns all apps of all brands: an instance has few.
    func apps() async throws(StorageError) -> [StoredApp]

    /// Returns the keys of all lanes by their numbers.
    func lanes() async throws(StorageError) -> [LaneID: LaneKey]

    /// Pauses a lane from a moment on, or resumes it when that is nil; false when this changes nothing, also when there is
    /// no such lane.
    func pauseLane(_ lane: LaneID, since: Timestamp?, audit: AuditEntry?) async throws(StorageError) -> Bool

    /// Returns the paused lanes, and since when they are.
    func pausedLanes() async throws(StorageError) -> [LaneID: Timestamp]

    /// Sets a lane's pace, in pushes a second, or removes it when that is nil; false when this changes nothing, also when
    /// there is no such lane.
    func setPace(of lane: LaneID, perSecond: Int64?, audit: AuditEntry?) async throws(StorageError) -> Bool

    /// Returns the paces of lanes that have one, in pushes a second.
    func lanePaces() async throws(StorageError) -> [LaneID: Int64]

    /// Stores a new credential; throws ``StorageError/duplicate`` when its id, or its name among SDK keys, is taken in
    /// the instance, even by a revoked credential.
    func insertCredential(_ credential: StoredCredential, audit: AuditEntry?) async throws(StorageError)

    /// Marks a credential as revoked; the sessions that it opened end with it, and it opens no more; false when the
    /// brand has no such credential that is not revoked already.
    func revokeCredential(
        brand: BrandID,
        id: String,
        now: Timestamp,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool

    /// Returns all credentials of all brands that are not revoked: an instance has few.
    func credentials() async throws(StorageError) -> [StoredCredential]

    /// Stores a helpdesk's webhook with its sealed settings, new or changed; false when there is no such brand.
    ///
    /// Replies that are new begin at the end of the feed; those that it had are tried at once.
    func putHook(_ hook: StoredHook, audit: AuditEntry?) async throws(StorageError) -> Bool

    /// Deletes a helpdesk's webhook; false when there is none.
    func deleteHook(brand: BrandID, id: HookID, audit: AuditEntry?) async throws(StorageError) -> Bool

    /// Returns the helpdesks' webhooks of all brands: an instance has few.
    func hooks() async throws(StorageError) -> [StoredHook]

    /// Replaces all sealed secrets in one transaction, and reads them again before the commit; returns their numbers.
    ///
    /// Nothing else may write meanwhile: a secret that is stored later is sealed by its writer. In the same transaction
    /// the audit trail of each brand gets an entry ``AuditAction/masterKeyRotated`` of the process. Without any sealed
    /// secret nothing is done and nothing is written. `reseal` seals a secret under the new key and is called once for
    /// each, on a thread of the engine; nil aborts. `verify` checks a secret as it is now stored, after all were
    /// replaced; false aborts.
    ///
    /// - Throws: `StorageError`, ``StorageError/constraint(detail:)`` when a function aborted; then nothing is changed.
    ///   After another error either nothing or everything is replaced: the next opening of the store shows which.
    func resealSecrets(
        at now: Timestamp,
        _ reseal: @escaping @Sendable (SealedSecret) -> [UInt8]?,
        verify: @escaping @Sendable (SealedSecret) -> Bool
    ) async throws(StorageError) -> ResealedCounts
}
