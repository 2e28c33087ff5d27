package import GatewayModel

/// The part of a ``GatewayStore`` that finds things by exactly one of their names, for operators.
///
/// Each is looked up by a key or an index; nothing is scanned.
package protocol SearchStore: Sendable {
    /// Returns what a text is in a brand: the id of a message, an APNs id of a push, the id of a consumer or of a
    /// device, or a push token; empty when it is nothing, or there is no such brand.
    ///
    /// A push is found by its APNs id while its message or the finished delivery is stored; not a push that only sets a
    /// badge, whose id the provider chooses.
    func search(_ text: String, brand: BrandID) async throws(StorageError) -> [SearchHit]

    /// Returns the message that an event made, as long as the event's id is remembered and the message is stored;
    /// nil otherwise.
    func message(
        ofEvent id: EventID,
        source: String,
        consumer: ConsumerID,
        brand: BrandID,
        now: Timestamp
    ) async throws(StorageError) -> MessageID?
}
