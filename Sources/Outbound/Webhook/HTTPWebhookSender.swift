package import GatewayModel
package import GatewayStorage
package import GuardedHTTP
import TextFormats

/// Posts items to one receiver over HTTP, to checked addresses (``GuardedHTTP/GuardedHTTPClient``).
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

    /// Posts items.
    ///
    /// - Parameters:
    ///   - items: The items, in order.
    ///   - hasGap: Whether earlier items were removed before the receiver had them.
    ///   - target: The target.
    ///   - attempt: The number of earlier attempts; it selects one of several addresses.
    ///   - time: The time of the attempt.
    /// - Returns: The result, after ``timeoutSeconds`` at most.
    package func post(
        _ items: [OutboundItem],
        hasGap: Bool,
        to target: any OutboundTarget,
        attempt: Int,
        at time: Timestamp
    ) async -> WebhookAttemptResult {
        let result = await post(
            target.request(for: items, hasGap: hasGap, at: time),
            owner: target.brand.rawValue,
            attempt: attempt,
            at: time
        )
        if case .responded(let status, _) = result, target.isFinal(status: status) { return .rejected(status: status) }
        return result
    }

    /// Posts a request.
    ///
    /// - Parameters:
    ///   - post: The request.
    ///   - owner: The brand, for its share of lookups and requests; empty for the instance.
    ///   - attempt: The number of earlier attempts; it selects one of several addresses.
    ///   - time: The time of the attempt.
    /// - Returns: The result, never ``WebhookAttemptResult/rejected(status:)``; after ``timeoutSeconds`` at most.
    package func post(
        _ post: OutboundRequest,
        owner: String,
        attempt: Int,
        at time: Timestamp
    ) async -> WebhookAttemptResult {
        guard let url = try? client.url(post.url) else { return .failed(.forbiddenAddress) }
        let request = GuardedRequest(
            url: url,
            method: .post(post.body),
            headers: [("content-type", "application/json"), ("user-agent", "switchboard")] + post.headers,
            // Only the status counts.
            responseBody: .drained(maxBytes: Self.maxResponseBytes),
            timeout: .seconds(Self.timeoutSeconds),
            owner: owner,
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
