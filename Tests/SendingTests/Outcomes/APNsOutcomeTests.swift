import PushPayloads
import Testing

@Suite("The outcome of each APNs response, from the connection to the store", .timeLimit(.minutes(10)))
struct APNsOutcomeTests {
    /// Every row of the ProviderFacts page, A9.
    static let rows: [OutcomeRow] = [
        .apns(400, "BadCollapseId", .failed),
        .apns(400, "BadDeviceToken", .failed, device: .quarantined),
        .apns(400, "BadExpirationDate", .failed),
        .apns(400, "BadMessageId", .failed),
        .apns(400, "BadPriority", .failed),
        .apns(400, "BadTopic", .again(.breaker), lane: .stopped),
        .apns(400, "InvalidPushType", .failed),
        .apns(400, "DeviceTokenNotForTopic", .failed, device: .quarantined),
        .apns(400, "DuplicateHeaders", .failed),
        .apns(400, "IdleTimeout", .again(.none), connection: .replaced),
        .apns(400, "MissingDeviceToken", .failed),
        .apns(400, "MissingTopic", .failed),
        .apns(400, "PayloadEmpty", .failed),
        .apns(400, "TopicDisallowed", .again(.breaker), lane: .stopped),
        .apns(403, "BadCertificate", .again(.breaker), lane: .stopped),
        .apns(403, "BadCertificateEnvironment", .again(.breaker), lane: .stopped),
        .apns(403, "ExpiredProviderToken", .again(.none), credential: .renewed),
        .apns(403, "InvalidProviderToken", .again(.breaker), lane: .stopped),
        .apns(403, "MissingProviderToken", .again(.breaker), lane: .stopped),
        .apns(403, "UnrelatedKeyIdInToken", .again(.none), connection: .replaced),
        .apns(403, "BadEnvironmentKeyIdInToken", .again(.breaker), lane: .stopped),
        .apns(403, "BadEnvironmentKeyInToken", .again(.breaker), lane: .stopped),
        .apns(403, "Forbidden", .again(.breaker), lane: .stopped),
        .apns(404, "BadPath", .failed),
        .apns(405, "MethodNotAllowed", .failed),
        .apns(410, "Unregistered", .failed, device: .dropped),
        .apns(410, "ExpiredToken", .failed, device: .dropped),
        .apns(413, "PayloadTooLarge", .failed),
        .apns(429, "TooManyProviderTokenUpdates", .again(.schedule), lane: .paused),
        .apns(429, "TooManyRequests", .again(.schedule)),
        .apns(500, "InternalServerError", .again(.schedule)),
        .apns(503, "ServiceUnavailable", .again(.schedule)),
        .apns(503, "Shutdown", .again(.schedule), connection: .replaced),
    ]

    @Test("R182: each row of Apple's table", arguments: rows)
    func row(_ row: OutcomeRow) async throws {
        try await SendingFixture.run { fixture in try await OutcomeCase(row, fixture).play() }
    }

    @Test("the rows are exactly those of the table")
    func complete() {
        let table = APNsResponses.table.rows.map { "\($0.statuses) \($0.reason ?? "")" }
        let tested = Self.rows.map { "\($0.status...$0.status) \($0.word ?? "")" }
        #expect(table.sorted() == tested.sorted())
    }
}
