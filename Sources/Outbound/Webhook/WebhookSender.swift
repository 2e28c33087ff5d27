package import GatewayModel

/// Posts batches to one brand's receiver; used by one task at a time.
package protocol WebhookSender: Sendable {
    /// Posts a batch.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - target: The target.
    ///   - attempt: The number of earlier attempts; it selects one of several addresses.
    ///   - time: The time of the attempt.
    /// - Returns: The result.
    func post(_ batch: WebhookBatch, to target: WebhookTarget, attempt: Int, at time: Timestamp) async
        -> WebhookAttemptResult

    /// Closes its connection.
    func close() async
}
