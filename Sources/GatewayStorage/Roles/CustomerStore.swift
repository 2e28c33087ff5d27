package import GatewayModel

/// The part of a ``GatewayStore`` for apps with Bloomreach's SDK: consumers' data, inboxes and in-app messages.
///
/// Turns change consumers' data (``StoreChange/track(_:)``).
package protocol CustomerStore: Sendable {
    /// Returns a consumer with its data, also by the id of one that was merged into it; nil when the brand has never
    /// seen it.
    func customer(brand: BrandID, id: ConsumerID) async throws(StorageError) -> Customer?

    /// Reads a consumer's inbox; items that have expired are left out.
    ///
    /// Its cost does not grow with the other items.
    func inbox(
        brand: BrandID,
        consumer: ConsumerID,
        _ range: InboxRange,
        now: Timestamp,
        limit: Int
    ) async throws(StorageError) -> InboxReading

    /// Stores an item; one that replaces another is unread. Full above ``InboxItem/perConsumer``.
    func putInboxItem(
        brand: BrandID,
        consumer: ConsumerID,
        _ item: InboxItem
    ) async throws(StorageError) -> PutResult

    /// Deletes an item, so that earlier positions are dead; false when there is none.
    func deleteInboxItem(
        brand: BrandID,
        consumer: ConsumerID,
        id: InboxItemID
    ) async throws(StorageError) -> Bool

    /// Marks a consumer's items as read; unknown ids are ignored.
    func markInboxRead(
        brand: BrandID,
        consumer: ConsumerID,
        ids: [InboxItemID]
    ) async throws(StorageError)

    /// Returns a brand's in-app messages, by id.
    func inAppMessages(brand: BrandID) async throws(StorageError) -> [InAppMessage]

    /// Stores an in-app message and its audit entry. Full above ``InAppMessage/perBrand``.
    func putInAppMessage(
        brand: BrandID,
        _ message: InAppMessage,
        audit: AuditEntry?
    ) async throws(StorageError) -> PutResult

    /// Deletes an in-app message, and stores the audit entry; false when there is none.
    func deleteInAppMessage(
        brand: BrandID,
        id: InAppMessageID,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool
}
