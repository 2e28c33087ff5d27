package import GatewayModel
internal import TextFormats

/// The interpretation of a push proxy's responses (ProviderFacts page, E).
package enum PushProxyResponses {
    /// The wait after a 5xx, as LivePerson's platform waits.
    private static let retrySeconds: Int64 = 10

    /// The table of the ProviderFacts page, E: only the status counts.
    package static let table = ResponseTable(
        rows: [],
        classes: [
            ResponseRow(statuses: 200...299, .accepted),
            // A redirect, which is not followed, or a wrong URL or credential: never a reason to drop a token.
            ResponseRow(statuses: 300...399, .misconfigured),
            ResponseRow(statuses: 401...401, .misconfigured),
            ResponseRow(statuses: 403...403, .rejected(.quarantine)),
            ResponseRow(statuses: 404...405, .misconfigured),
            ResponseRow(statuses: 407...407, .misconfigured),
            ResponseRow(statuses: 408...408, .retry(scope: .device, seconds: retrySeconds)),
            ResponseRow(statuses: 429...429, .retry(scope: .lane, seconds: retrySeconds)),
            ResponseRow(statuses: 400...499, .rejected(.keep)),
            ResponseRow(statuses: 500...599, .retry(scope: .laneIfSeveral, seconds: retrySeconds)),
        ]
    )

    /// Interprets a response.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - retryAfter: The `retry-after` field of the response.
    ///   - now: The wall clock.
    /// - Returns: The verdict, without a reason.
    package static func verdict(status: Int, retryAfter: String?, now: Timestamp) -> ResponseVerdict {
        table.verdict(
            table.row(status: status, reason: nil),
            reason: nil,
            retryAfterSeconds: RetryAfter.seconds(retryAfter, nowMilliseconds: now.milliseconds)
        )
    }
}
