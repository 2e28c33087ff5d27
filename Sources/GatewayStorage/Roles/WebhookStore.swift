package import GatewayModel

/// The part of a ``GatewayStore`` with the states of webhooks.
package protocol WebhookStore: Sendable {
    /// Returns the state of a brand's webhook. It is created with the webhook's settings, at the end of the feed, and
    /// deleted with them.
    ///
    /// - Parameter brand: The brand.
    /// - Returns: Nil when it has none.
    /// - Throws: `StorageError`.
    func webhookState(brand: BrandID) async throws(StorageError) -> WebhookState?

    /// Stores the state of a brand's webhook, unless its settings or its mark have changed meanwhile.
    ///
    /// - Parameters:
    ///   - state: The state, with the revision on which it is based.
    ///   - brand: The brand.
    /// - Returns: False when the revision has changed; then nothing is stored.
    /// - Throws: `StorageError`.
    func putWebhookState(_ state: WebhookState, brand: BrandID) async throws(StorageError) -> Bool

    /// Sets a webhook's mark, so that the items after it are posted again. It is tried at once, also when it was
    /// switched off.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - after: The position; beyond the end means the end.
    ///   - audit: The audit entry, written in the same transaction.
    /// - Returns: Its new state; nil when the brand has none.
    /// - Throws: `StorageError`.
    func replayWebhook(brand: BrandID, after: Int64, audit: AuditEntry?) async throws(StorageError) -> WebhookState?
}
