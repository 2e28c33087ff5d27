package import GatewayModel
package import GuardedHTTP
import PushPayloads

/// Posts over HTTP, to addresses that were checked (``GuardedHTTP/GuardedHTTPClient``).
package final class HTTPWebhookSender: WebhookSender {
    /// For a whole try: look-up, connection, request and answer.
    package static let timeoutSeconds: Int64 = 15
    /// What is read of an answer's body, so that the connection can be used again.
    package static let maxAnswerBytes = 64 << 10

    private let client: GuardedHTTPClient

    /// Makes a sender; nothing is dialled yet.
    ///
    /// - Parameter client: A client of its own, which is closed with the sender and keeps one connection.
    package init(client: GuardedHTTPClient) { self.client = client }

    /// Posts a batch; see ``WebhookSender``.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - target: Where it goes.
    ///   - attempt: How often it was tried before.
    ///   - time: The time of the try.
    /// - Returns: How it ended, after ``timeoutSeconds`` at most.
    package func post(
        _ batch: WebhookBatch,
        to target: WebhookTarget,
        attempt: Int,
        at time: Timestamp
    ) async -> WebhookAnswer {
        guard let url = try? client.url(target.url) else { return .failed(.forbiddenAddress) }
        let request = GuardedRequest(
            url: url,
            method: .post(batch.body),
            headers: [
                ("content-type", "application/json"), ("user-agent", "switchboard"), ("webhook-id", batch.id),
                ("webhook-timestamp", String(time.seconds)),
                ("webhook-signature", WebhookSignature.header(batch, at: time, keys: target.keys)),
            ],
            // The status decides.
            answerBody: .drained(maxBytes: Self.maxAnswerBytes),
            timeout: .seconds(Self.timeoutSeconds),
            owner: target.brand.rawValue,
            attempt: attempt
        )
        do {
            let answer = try await client.send(request)
            return .answered(
                status: answer.status,
                retryAfterSeconds: RetryAfter.seconds(answer.header("retry-after"), now: time)
            )
        } catch {
            return .failed(error)
        }
    }

    /// Closes its connection.
    package func close() async { await client.close() }
}
