import PushPayloads
import Testing

@Suite("The outcome of each FCM response, from the connection to the store", .timeLimit(.minutes(10)))
struct FCMOutcomeTests {
    private typealias Google = GoogleError

    /// Every row of the ProviderFacts page, B4, with a reason; a code with several meanings has the table's own
    /// reasons.
    static let rows: [OutcomeRow] = [
        .fcm(
            400,
            "INVALID_ARGUMENT",
            Google.body(400, "INVALID_ARGUMENT", Google.badRequest("message.data"), Google.fcm("INVALID_ARGUMENT")),
            reason: "INVALID_ARGUMENT",
            .failed
        ),
        .fcm(
            400,
            "INVALID_ARGUMENT.TOKEN",
            Google.body(
                400,
                "INVALID_ARGUMENT",
                Google.fcm("INVALID_ARGUMENT"),
                message: "The registration token is not a valid FCM registration token"
            ),
            reason: "INVALID_ARGUMENT",
            .failed,
            device: .quarantined
        ),
        .fcm(
            400,
            "INVALID_ARGUMENT.APNS_UNREGISTERED",
            Google.body(400, "INVALID_ARGUMENT", Google.apnsGone, Google.fcm("INVALID_ARGUMENT")),
            reason: "INVALID_ARGUMENT",
            .failed,
            device: .dropped
        ),
        .fcm(
            401,
            "THIRD_PARTY_AUTH_ERROR",
            Google.body(401, "UNAUTHENTICATED", Google.fcm("THIRD_PARTY_AUTH_ERROR"), Google.expiredAccess),
            reason: "THIRD_PARTY_AUTH_ERROR",
            .again(.breaker),
            lane: .platformStopped
        ),
        .fcm(
            403,
            "SENDER_ID_MISMATCH",
            Google.body(403, "PERMISSION_DENIED", Google.fcm("SENDER_ID_MISMATCH")),
            reason: "SENDER_ID_MISMATCH",
            .failed,
            device: .quarantined
        ),
        .fcm(
            404,
            "UNREGISTERED",
            Google.body(404, "NOT_FOUND", Google.fcm("UNREGISTERED")),
            reason: "UNREGISTERED",
            .failed,
            device: .dropped
        ),
        .fcm(
            429,
            "QUOTA_EXCEEDED",
            Google.body(429, "RESOURCE_EXHAUSTED", Google.quota("project:1"), Google.fcm("QUOTA_EXCEEDED")),
            reason: "QUOTA_EXCEEDED",
            .again(.minute),
            lane: .paused
        ),
        .fcm(
            429,
            "QUOTA_EXCEEDED.DEVICE",
            Google.body(429, "RESOURCE_EXHAUSTED", Google.fcm("QUOTA_EXCEEDED"), Google.quota("device:x")),
            reason: "QUOTA_EXCEEDED",
            .again(.minute)
        ),
        .fcm(
            500,
            "INTERNAL",
            Google.body(500, "INTERNAL", Google.fcm("INTERNAL")),
            reason: "INTERNAL",
            .again(.tenSeconds)
        ),
        .fcm(
            503,
            "UNAVAILABLE",
            Google.body(503, "UNAVAILABLE", Google.fcm("UNAVAILABLE")),
            reason: "UNAVAILABLE",
            .again(.tenSeconds)
        ),
    ]

    /// Every row of B4 without a reason, or with an unknown one: the status decides.
    static let wordless: [OutcomeRow] = [
        .fcm(
            401,
            nil,
            Google.body(401, "UNAUTHENTICATED", Google.expiredAccess),
            reason: "UNAUTHENTICATED",
            .again(.none),
            credential: .renewed
        ),
        .fcm(
            403,
            nil,
            Google.body(403, "PERMISSION_DENIED"),
            reason: "PERMISSION_DENIED",
            .again(.breaker),
            lane: .stopped
        ),
        .fcm(404, nil, Google.body(404, "NOT_FOUND"), reason: "NOT_FOUND", .again(.breaker), lane: .stopped),
        .fcm(
            404,
            nil,
            Google.body(404, "NOT_FOUND", Google.fcm("UNSPECIFIED_ERROR")),
            reason: "UNSPECIFIED_ERROR",
            .again(.breaker),
            lane: .stopped,
            named: "404 UNSPECIFIED_ERROR"
        ),
        .fcm(
            400,
            nil,
            Google.body(400, "INVALID_ARGUMENT", Google.fcm("UNSPECIFIED_ERROR")),
            reason: "UNSPECIFIED_ERROR",
            .failed,
            named: "400 UNSPECIFIED_ERROR"
        ),
        .fcm(
            500,
            nil,
            Google.body(500, "UNKNOWN", Google.fcm("UNSPECIFIED_ERROR")),
            reason: "UNSPECIFIED_ERROR",
            .again(.tenSeconds),
            named: "500 UNSPECIFIED_ERROR"
        ),
        .fcm(429, nil, "", reason: nil, .again(.minute), lane: .paused),
        .fcm(502, nil, "<html>Error 502</html>", reason: nil, .again(.tenSeconds)),
        .fcm(504, nil, "", reason: nil, .again(.tenSeconds)),
    ]

    @Test("R182: each row of Google's table", arguments: rows + wordless)
    func row(_ row: OutcomeRow) async throws {
        try await SendingFixture.run { fixture in try await OutcomeCase(row, fixture).play() }
    }

    @Test("the rows are exactly those of the table")
    func complete() {
        let table = FCMResponses.table.rows.map { "\($0.statuses) \($0.reason ?? "")" }
        let tested = Self.rows.map { "\($0.status...$0.status) \($0.word ?? "")" }
        #expect(table.sorted() == tested.sorted())
        let classes = FCMResponses.table.classes
        for status in Set(Self.wordless.map(\.status)) { #expect(classes.contains { $0.statuses.contains(status) }) }
    }
}
