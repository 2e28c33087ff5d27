package import GatewayModel

/// The part of a ``GatewayStore`` with the states of webhooks and of hooks' replies.
package protocol WebhookStore: Sendable {
    /// Returns the state of a receiver. It is created with the receiver's settings, at the end of the feed, and deleted
    /// with them; nil when there is none.
    func webhookState(of receiver: OutboundReceiver) async throws(StorageError) -> WebhookState?

    /// Stores the state of a receiver, unless its settings or its mark have changed since the state's revision; false
    /// when nothing is stored.
    func putWebhookState(_ state: WebhookState, of receiver: OutboundReceiver) async throws(StorageError) -> Bool

    /// Sets a webhook's mark, so that the items after it are posted again; a position beyond the end means the end.
    ///
    /// It is tried at once, also when it was switched off. An audit entry is written in the same transaction.
    ///
    /// - Returns: Its new state; nil when the brand has none.
    func replayWebhook(brand: BrandID, after: Int64, audit: AuditEntry?) async throws(StorageError) -> WebhookState?
}
