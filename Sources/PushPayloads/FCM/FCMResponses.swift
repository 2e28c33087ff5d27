package import GatewayModel
internal import TextFormats

/// The interpretation of FCM HTTP v1 responses (ProviderFacts page, B4, B5).
package enum FCMResponses {
    /// B5: the first wait after a 5xx is at least 10 s.
    private static let minRetrySeconds: Int64 = 10

    /// B4: a 429 without Retry-After waits 60 s.
    private static let quotaRetrySeconds: Int64 = 60

    /// The table of the ProviderFacts page, B4.
    ///
    /// For a code with several meanings the reason is our own, combined from the code and its details; see
    /// ``FCMResponses/verdict(status:body:retryAfter:now:)``.
    package static let table = ResponseTable(
        rows: [
            ResponseRow(400, "INVALID_ARGUMENT", .rejected(.keep)),
            ResponseRow(400, "INVALID_ARGUMENT.TOKEN", .rejected(.quarantine)),
            ResponseRow(400, "INVALID_ARGUMENT.APNS_UNREGISTERED", .unregistered),
            // The key of APNs or Web Push in the Firebase project; our own token is good.
            ResponseRow(401, "THIRD_PARTY_AUTH_ERROR", .platformMisconfigured),
            ResponseRow(403, "SENDER_ID_MISMATCH", .rejected(.quarantine)),
            ResponseRow(404, "UNREGISTERED", .unregistered),
            ResponseRow(429, "QUOTA_EXCEEDED", .retry(scope: .lane, seconds: quotaRetrySeconds)),
            ResponseRow(429, "QUOTA_EXCEEDED.DEVICE", .retry(scope: .device, seconds: quotaRetrySeconds)),
            ResponseRow(500, "INTERNAL", .retry(scope: .device, seconds: minRetrySeconds)),
            ResponseRow(503, "UNAVAILABLE", .retry(scope: .laneIfSeveral, seconds: minRetrySeconds)),
        ],
        classes: [
            ResponseRow(statuses: 200...299, .accepted),
            ResponseRow(statuses: 401...401, .misconfigured, .renewToken),
            ResponseRow(statuses: 403...403, .misconfigured),
            // A wrong project or URL: never a reason to drop a token.
            ResponseRow(statuses: 404...405, .misconfigured),
            ResponseRow(statuses: 408...408, .retry(scope: .device, seconds: minRetrySeconds)),
            ResponseRow(statuses: 429...429, .retry(scope: .lane, seconds: quotaRetrySeconds)),
            ResponseRow(statuses: 400...499, .rejected(.keep)),
            ResponseRow(statuses: 500...500, .retry(scope: .device, seconds: minRetrySeconds)),
            ResponseRow(statuses: 500...599, .retry(scope: .laneIfSeveral, seconds: minRetrySeconds)),
        ]
    )

    /// Google's rpc names, for the reason when there is no FCM code.
    private static let rpcNames: Set<BoundedName> = [
        "INVALID_ARGUMENT", "UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND", "RESOURCE_EXHAUSTED", "INTERNAL",
        "UNAVAILABLE", "DEADLINE_EXCEEDED", "FAILED_PRECONDITION", "ABORTED", "UNKNOWN", "UNIMPLEMENTED",
    ]

    /// Interprets a response.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - body: The body; may be empty, HTML or anything else.
    ///   - retryAfter: The `retry-after` field of the response.
    ///   - now: The wall clock.
    /// - Returns: The verdict. The reason is the FCM code, else the rpc name.
    package static func verdict(status: Int, body: [UInt8], retryAfter: String?, now: Timestamp) -> ResponseVerdict {
        if status == 200 {
            return ResponseVerdict(outcome: .accepted(providerID: name(body)), reason: nil)
        }
        let error = FCMError(body: body)
        let word: String? =
            switch (error.code, error.facet) {
            case ("INVALID_ARGUMENT", .token),
                (nil, .token) where status == 400:
                "INVALID_ARGUMENT.TOKEN"
            case ("INVALID_ARGUMENT", .apnsUnregistered),
                (nil, .apnsUnregistered) where status == 400:
                "INVALID_ARGUMENT.APNS_UNREGISTERED"
            case ("QUOTA_EXCEEDED", .deviceRate): "QUOTA_EXCEEDED.DEVICE"
            default: error.code
            }
        // The rpc name is only a label; without a code the status decides.
        let label = error.code ?? error.rpcStatus.flatMap { BoundedName($0).map(rpcNames.contains) == true ? $0 : nil }
        return table.verdict(
            table.row(status: status, reason: word),
            reason: label,
            retryAfterSeconds: RetryAfter.seconds(retryAfter, nowMilliseconds: now.milliseconds)
                .map { status >= 500 ? max($0, minRetrySeconds) : $0 }
        )
    }

    /// Returns the `name` of a success, `projects/<project>/messages/<id>`; nil when the body has none of a plausible
    /// length.
    private static func name(_ body: [UInt8]) -> String? {
        // Nearly always the only member: finding the second pair of quotes avoids the JSON reader.
        guard let name = quickName(body) ?? JSONValue(body: body)?["name"]?.text else { return nil }
        return name.utf8.count <= 512 ? name : nil
    }

    private static func quickName(_ body: [UInt8]) -> String? {
        guard body.count <= 1024 else { return nil }
        let quote = UInt8(ascii: "\"")
        guard let open = body.firstIndex(of: quote),
            body[..<open].allSatisfy({ $0 == UInt8(ascii: "{") || $0 <= 0x20 }),
            body.count > open + 6, body[(open + 1)..<(open + 6)].elementsEqual("name\"".utf8),
            let start = body[(open + 6)...].firstIndex(of: quote),
            body[(open + 6)..<start].allSatisfy({ $0 == UInt8(ascii: ":") || $0 <= 0x20 }),
            let end = body[(start + 1)...].firstIndex(of: quote),
            !body[start..<end].contains(UInt8(ascii: "\\"))
        else { return nil }
        return String(decoding: body[(start + 1)..<end], as: UTF8.self)
    }
}
