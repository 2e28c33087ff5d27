package import GatewayModel

/// Posts batches to one brand's receiver; used by one task at a time.
package protocol WebhookSender: Sendable {
    /// Posts a batch.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - target: Where it goes.
    ///   - attempt: How often it was tried before: chooses among several addresses.
    ///   - time: The time of the try.
    /// - Returns: How it ended.
    func post(_ batch: WebhookBatch, to target: WebhookTarget, attempt: Int, at time: Timestamp) async -> WebhookAnswer

    /// Closes its connection.
    func close() async
}
