package import GatewayModel
internal import TextFormats

/// The interpretation of APNs responses (ProviderFacts page, A9).
package enum APNsAnswers {
    /// The table of the ProviderFacts page, A9.
    ///
    /// "Bug" rows that depend on the single request reject it, so that one bad token cannot stop a lane. Errors that
    /// would fail every push alike are configuration errors and lose no push.
    package static let table = AnswerTable(
        rows: [
            AnswerRow(400, "BadCollapseId", .rejected(.keep)),
            AnswerRow(400, "BadDeviceToken", .rejected(.quarantine)),
            AnswerRow(400, "BadExpirationDate", .rejected(.keep)),
            AnswerRow(400, "BadMessageId", .rejected(.keep)),
            AnswerRow(400, "BadPriority", .rejected(.keep)),
            // The topic is a setting of the app, the same for all of its pushes.
            AnswerRow(400, "BadTopic", .misconfigured),
            AnswerRow(400, "InvalidPushType", .rejected(.keep)),
            AnswerRow(400, "DeviceTokenNotForTopic", .rejected(.quarantine)),
            AnswerRow(400, "DuplicateHeaders", .rejected(.keep)),
            AnswerRow(400, "IdleTimeout", .retry(scope: .device, seconds: 0), .replaceConnection),
            AnswerRow(400, "MissingDeviceToken", .rejected(.keep)),
            AnswerRow(400, "MissingTopic", .rejected(.keep)),
            AnswerRow(400, "PayloadEmpty", .rejected(.keep)),
            AnswerRow(400, "TopicDisallowed", .misconfigured),
            AnswerRow(403, "BadCertificate", .misconfigured),
            AnswerRow(403, "BadCertificateEnvironment", .misconfigured),
            // When even a new token is too old, the local clock is wrong.
            AnswerRow(403, "ExpiredProviderToken", .misconfigured, .renewToken),
            AnswerRow(403, "InvalidProviderToken", .misconfigured),
            AnswerRow(403, "MissingProviderToken", .misconfigured),
            AnswerRow(403, "UnrelatedKeyIdInToken", .retry(scope: .device, seconds: 0), .replaceConnection),
            AnswerRow(403, "BadEnvironmentKeyIdInToken", .misconfigured),
            // Observed instead of the documented one.
            AnswerRow(403, "BadEnvironmentKeyInToken", .misconfigured),
            AnswerRow(403, "Forbidden", .misconfigured),
            // The path holds the token, so it can be wrong for a single device.
            AnswerRow(404, "BadPath", .rejected(.keep)),
            AnswerRow(405, "MethodNotAllowed", .rejected(.keep)),
            AnswerRow(410, "Unregistered", .unregistered),
            AnswerRow(410, "ExpiredToken", .unregistered),
            AnswerRow(413, "PayloadTooLarge", .rejected(.keep)),
            AnswerRow(429, "TooManyProviderTokenUpdates", .retry(scope: .lane, seconds: nil), .keepToken),
            AnswerRow(429, "TooManyRequests", .retry(scope: .device, seconds: nil)),
            AnswerRow(500, "InternalServerError", .retry(scope: .device, seconds: nil)),
            AnswerRow(503, "ServiceUnavailable", .retry(scope: .laneIfSeveral, seconds: nil)),
            // Only that server is shutting down; the others are not.
            AnswerRow(503, "Shutdown", .retry(scope: .device, seconds: nil), .replaceConnection),
        ],
        classes: [
            AnswerRow(statuses: 200...299, .accepted),
            AnswerRow(statuses: 401...401, .misconfigured),
            AnswerRow(statuses: 403...405, .misconfigured),
            AnswerRow(statuses: 408...408, .retry(scope: .device, seconds: nil)),
            AnswerRow(statuses: 410...410, .unregistered),
            AnswerRow(statuses: 429...429, .retry(scope: .device, seconds: nil)),
            AnswerRow(statuses: 400...499, .rejected(.keep)),
            AnswerRow(statuses: 500...500, .retry(scope: .device, seconds: nil)),
            AnswerRow(statuses: 500...599, .retry(scope: .laneIfSeveral, seconds: nil)),
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
    ) -> AnswerVerdict {
        if status == 200 {
            return AnswerVerdict(outcome: .accepted(providerID: apnsID), reason: nil)
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
