package import GatewayModel
package import GuardedHTTP
import TextFormats

/// Posts batches to one brand's receiver over HTTP, to checked addresses (``GuardedHTTP/GuardedHTTPClient``).
///
/// Used by one task at a time.
package final class HTTPWebhookSender: Sendable {
    /// The timeout for a whole attempt: DNS lookup, connection, request and response.
    package static let timeoutSeconds: Int64 = 15
    /// The maximum of response body bytes that are read, so that the connection can be reused.
    package static let maxResponseBytes = 64 << 10

    private let client: GuardedHTTPClient

    /// Creates a sender; it connects at the first batch.
    ///
    /// - Parameter client: A client for this sender alone, which closes it. The client keeps one connection.
    package init(client: GuardedHTTPClient) { self.client = client }

    /// Posts a batch.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - target: The target.
    ///   - attempt: The number of earlier attempts; it selects one of several addresses.
    ///   - time: The time of the attempt.
    /// - Returns: The result, after ``timeoutSeconds`` at most.
    package func post(
        _ batch: WebhookBatch,
        to target: WebhookTarget,
        attempt: Int,
        at time: Timestamp
    ) async -> WebhookAttemptResult {
        guard let url = try? client.url(target.url) else { return .failed(.forbiddenAddress) }
        let request = GuardedRequest(
            url: url,
            method: .post(batch.body),
            headers: [
                ("content-type", "application/json"), ("user-agent", "switchboard"), ("webhook-id", batch.id),
                ("webhook-timestamp", String(time.seconds)),
                ("webhook-signature", WebhookSignature.header(batch, at: time, keys: target.keys)),
            ],
            // Only the status counts.
            responseBody: .drained(maxBytes: Self.maxResponseBytes),
            timeout: .seconds(Self.timeoutSeconds),
            owner: target.brand.rawValue,
            attempt: attempt
        )
        do {
            let response = try await client.send(request)
            return .responded(
                status: response.status,
                retryAfterSeconds: RetryAfter.seconds(
                    response.header("retry-after"),
                    nowMilliseconds: time.milliseconds
                )
            )
        } catch {
            return .failed(error)
        }
    }

    /// Closes its connection.
    package func close() async { await client.close() }
}
