package import GatewayModel

// Administrative changes without an audit entry, for tests and benchmarks.
extension GatewayStore {
    /// Stores the gateway's time for the next start.
    ///
    /// - Parameter mark: The new mark, which replaces the stored one.
    /// - Throws: `StorageError`.
    package func keep(_ mark: ClockMark) async throws(StorageError) { try await keep(mark, audit: nil) }

    /// Stores a new brand.
    ///
    /// - Parameter brand: The brand.
    /// - Throws: `StorageError`, ``StorageError/duplicate`` when the id is taken.
    package func insertBrand(_ brand: Brand) async throws(StorageError) {
        try await insertBrand(brand, audit: nil)
    }

    /// Replaces a brand's name and settings.
    ///
    /// - Returns: False when no brand has its id.
    /// - Returns: False when there is none with its id.
    /// - Throws: `StorageError`.
    package func updateBrand(_ brand: Brand) async throws(StorageError) -> Bool {
        try await updateBrand(brand, audit: nil)
    }

    /// Deletes a brand with everything that belongs to it.
    ///
    /// - Parameter brand: The brand.
    /// - Returns: The removed lanes; nil when there is no such brand.
    /// - Throws: `StorageError`.
    package func deleteBrand(_ brand: BrandID) async throws(StorageError) -> [LaneID]? {
        try await deleteBrand(brand, audit: nil)
    }

    /// Stores an app, new or changed, and creates its lanes.
    ///
    /// - Parameters:
    ///   - app: The app with its sealed settings.
    ///   - lanes: The lanes that its settings allow.
    /// - Returns: True when the app is new.
    /// - Throws: `StorageError`.
    package func putApp(_ app: StoredApp, lanes: [LaneKey]) async throws(StorageError) -> Bool {
        try await putApp(app, lanes: lanes, audit: nil)
    }

    /// Deletes an app with its registrations and their pending deliveries.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - app: The app.
    /// - Returns: The removed lanes; nil when there is no such app.
    /// - Throws: `StorageError`.
    package func deleteApp(brand: BrandID, app: AppID) async throws(StorageError) -> [LaneID]? {
        try await deleteApp(brand: brand, app: app, audit: nil)
    }

    /// Stores a new credential.
    ///
    /// - Parameter credential: The credential.
    /// - Throws: `StorageError`, ``StorageError/duplicate`` when its id or name is taken.
    package func insertCredential(_ credential: StoredCredential) async throws(StorageError) {
        try await insertCredential(credential, audit: nil)
    }

    /// Marks a credential as revoked; the sessions that it opened end.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - id: The credential.
    ///   - now: The time of the change.
    /// - Returns: False when the brand has no such credential that is not revoked already.
    /// - Throws: `StorageError`.
    package func revokeCredential(brand: BrandID, id: String, now: Timestamp) async throws(StorageError) -> Bool {
        try await revokeCredential(brand: brand, id: id, now: now, audit: nil)
    }
}
