package import GatewayModel
internal import TextFormats

/// The interpretation of APNs responses (ProviderFacts page, A9).
package enum APNsResponses {
    /// The table of the ProviderFacts page, A9.
    ///
    /// "Bug" rows that depend on the single request reject it, so that one bad token cannot stop a lane. Errors that
    /// would fail every push alike are configuration errors and lose no push.
    package static let table = ResponseTable(
        rows: [
            ResponseRow(400, "BadCollapseId", .rejected(.keep)),
            ResponseRow(400, "BadDeviceToken", .rejected(.quarantine)),
            ResponseRow(400, "BadExpirationDate", .rejected(.keep)),
            ResponseRow(400, "BadMessageId", .rejected(.keep)),
            ResponseRow(400, "BadPriority", .rejected(.keep)),
            // The topic is a setting of the app, the same for all of its pushes.
            ResponseRow(400, "BadTopic", .misconfigured),
            ResponseRow(400, "InvalidPushType", .rejected(.keep)),
            ResponseRow(400, "DeviceTokenNotForTopic", .rejected(.quarantine)),
            ResponseRow(400, "DuplicateHeaders", .rejected(.keep)),
            ResponseRow(400, "IdleTimeout", .retry(scope: .device, seconds: 0), .replaceConnection),
            ResponseRow(400, "MissingDeviceToken", .rejected(.keep)),
            ResponseRow(400, "MissingTopic", .rejected(.keep)),
            ResponseRow(400, "PayloadEmpty", .rejected(.keep)),
            ResponseRow(400, "TopicDisallowed", .misconfigured),
            ResponseRow(403, "BadCertificate", .misconfigured),
            ResponseRow(403, "BadCertificateEnvironment", .misconfigured),
            // When even a new token is too old, the local clock is wrong.
            ResponseRow(403, "ExpiredProviderToken", .misconfigured, .renewToken),
            ResponseRow(403, "InvalidProviderToken", .misconfigured),
            ResponseRow(403, "MissingProviderToken", .misconfigured),
            ResponseRow(403, "UnrelatedKeyIdInToken", .retry(scope: .device, seconds: 0), .replaceConnection),
            ResponseRow(403, "BadEnvironmentKeyIdInToken", .misconfigured),
            // Observed instead of the documented one.
            ResponseRow(403, "BadEnvironmentKeyInToken", .misconfigured),
            ResponseRow(403, "Forbidden", .misconfigured),
            // The path holds the token, so it can be wrong for a single device.
            ResponseRow(404, "BadPath", .rejected(.keep)),
            ResponseRow(405, "MethodNotAllowed", .rejected(.keep)),
            ResponseRow(410, "Unregistered", .unregistered),
            ResponseRow(410, "ExpiredToken", .unregistered),
            ResponseRow(413, "PayloadTooLarge", .rejected(.keep)),
            ResponseRow(429, "TooManyProviderTokenUpdates", .retry(scope: .lane, seconds: nil), .keepToken),
            ResponseRow(429, "TooManyRequests", .retry(scope: .device, seconds: nil)),
            ResponseRow(500, "InternalServerError", .retry(scope: .device, seconds: nil)),
            ResponseRow(503, "ServiceUnavailable", .retry(scope: .laneIfSeveral, seconds: nil)),
            // Only that server is shutting down; the others are not.
            ResponseRow(503, "Shutdown", .retry(scope: .device, seconds: nil), .replaceConnection),
        ],
        classes: [
            ResponseRow(statuses: 200...299, .accepted),
            ResponseRow(statuses: 401...401, .misconfigured),
            ResponseRow(statuses: 403...405, .misconfigured),
            ResponseRow(statuses: 408...408, .retry(scope: .device, seconds: nil)),
            ResponseRow(statuses: 410...410, .unregistered),
            ResponseRow(statuses: 429...429, .retry(scope: .device, seconds: nil)),
            ResponseRow(statuses: 400...499, .rejected(.keep)),
            ResponseRow(statuses: 500...500, .retry(scope: .device, seconds: nil)),
            ResponseRow(statuses: 500...599, .retry(scope: .laneIfSeveral, seconds: nil)),
        ]
    )

    /// Interprets a response.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - body: The body; may be empty or anything else.
    ///   - apnsID: The `apns-id` field of the response.
    ///   - retryAfter: The `retry-after` field of the response.
    ///   - now: The wall clock.
    /// - Returns: The verdict; the time of a 410 is in milliseconds (A9), unlike every other time in APNs.
    package static func verdict(
        status: Int,
        body: [UInt8],
        apnsID: String?,
        retryAfter: String?,
        now: Timestamp
    ) -> ResponseVerdict {
        if status == 200 {
            return ResponseVerdict(outcome: .accepted(providerID: apnsID), reason: nil)
        }
        let object = JSONValue(body: body)
        let reason = object?["reason"]?.text
        return table.verdict(
            table.row(status: status, reason: reason),
            reason: reason,
            providerID: apnsID,
            deadSince: object?["timestamp"]?.integer.flatMap { $0 > 0 ? Timestamp(milliseconds: $0) : nil },
            retryAfterSeconds: RetryAfter.seconds(retryAfter, nowMilliseconds: now.milliseconds)
        )
    }
}
