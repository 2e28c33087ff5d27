import GatewayModel
import PushPayloads
import Testing

@Suite struct APNsResponsesTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var status: Int
        var reason: String
        var outcome: PushOutcome
        var remedy: ResponseRemedy = .none
        var testDescription: String { "\(status) \(reason)" }
    }

    private static let later: PushOutcome = .retry(afterSeconds: nil, scope: .device)
    private static let laneLater: PushOutcome = .retry(afterSeconds: nil, scope: .lane)
    private static let severalLater: PushOutcome = .retry(afterSeconds: nil, scope: .laneIfSeveral)
    private static let again: PushOutcome = .retry(afterSeconds: 0, scope: .device)

    /// Every row of the ProviderFacts page, A9.
    static let rows: [Row] = [
        Row(status: 400, reason: "BadCollapseId", outcome: .rejected(token: .keep)),
        Row(status: 400, reason: "BadDeviceToken", outcome: .rejected(token: .quarantine)),
        Row(status: 400, reason: "BadExpirationDate", outcome: .rejected(token: .keep)),
        Row(status: 400, reason: "BadMessageId", outcome: .rejected(token: .keep)),
        Row(status: 400, reason: "BadPriority", outcome: .rejected(token: .keep)),
        Row(status: 400, reason: "BadTopic", outcome: .misconfigured),
        Row(status: 400, reason: "InvalidPushType", outcome: .rejected(token: .keep)),
        Row(status: 400, reason: "DeviceTokenNotForTopic", outcome: .rejected(token: .quarantine)),
        Row(status: 400, reason: "DuplicateHeaders", outcome: .rejected(token: .keep)),
        Row(status: 400, reason: "IdleTimeout", outcome: again, remedy: .replaceConnection),
        Row(status: 400, reason: "MissingDeviceToken", outcome: .rejected(token: .keep)),
        Row(status: 400, reason: "MissingTopic", outcome: .rejected(token: .keep)),
        Row(status: 400, reason: "PayloadEmpty", outcome: .rejected(token: .keep)),
        Row(status: 400, reason: "TopicDisallowed", outcome: .misconfigured),
        Row(status: 403, reason: "BadCertificate", outcome: .misconfigured),
        Row(status: 403, reason: "BadCertificateEnvironment", outcome: .misconfigured),
        Row(status: 403, reason: "ExpiredProviderToken", outcome: .misconfigured, remedy: .renewToken),
        Row(status: 403, reason: "InvalidProviderToken", outcome: .misconfigured),
        Row(status: 403, reason: "MissingProviderToken", outcome: .misconfigured),
        Row(status: 403, reason: "UnrelatedKeyIdInToken", outcome: again, remedy: .replaceConnection),
        Row(status: 403, reason: "BadEnvironmentKeyIdInToken", outcome: .misconfigured),
        Row(status: 403, reason: "BadEnvironmentKeyInToken", outcome: .misconfigured),
        Row(status: 403, reason: "Forbidden", outcome: .misconfigured),
        Row(status: 404, reason: "BadPath", outcome: .rejected(token: .keep)),
        Row(status: 405, reason: "MethodNotAllowed", outcome: .rejected(token: .keep)),
        Row(status: 410, reason: "Unregistered", outcome: .unregistered(since: nil)),
        Row(status: 410, reason: "ExpiredToken", outcome: .unregistered(since: nil)),
        Row(status: 413, reason: "PayloadTooLarge", outcome: .rejected(token: .keep)),
        Row(status: 429, reason: "TooManyProviderTokenUpdates", outcome: laneLater, remedy: .keepToken),
        Row(status: 429, reason: "TooManyRequests", outcome: later),
        Row(status: 500, reason: "InternalServerError", outcome: later),
        Row(status: 503, reason: "ServiceUnavailable", outcome: severalLater),
        Row(status: 503, reason: "Shutdown", outcome: later, remedy: .replaceConnection),
    ]

    private func verdict(
        _ status: Int,
        _ body: String,
        apnsID: String? = nil,
        retryAfter: String? = nil
    ) -> ResponseVerdict {
        APNsResponses.verdict(
            status: status,
            body: Array(body.utf8),
            apnsID: apnsID,
            retryAfter: retryAfter,
            now: Fixtures.now
        )
    }

    @Test("each row of the table", arguments: rows)
    func row(row: Row) {
        let expected = ResponseVerdict(outcome: row.outcome, reason: row.reason, remedy: row.remedy)
        #expect(verdict(row.status, #"{"reason":"\#(row.reason)"}"#) == expected)
    }

    @Test("the table has no row that is not tested")
    func complete() {
        #expect(Set(APNsResponses.table.rows.compactMap(\.reason)) == Set(Self.rows.map(\.reason)))
        #expect(APNsResponses.table.rows.count == Self.rows.count)
    }

    @Test("200 carries the provider's id")
    func accepted() {
        #expect(
            verdict(200, "", apnsID: "eabeae54")
                == ResponseVerdict(outcome: .accepted(providerID: "eabeae54"), reason: nil)
        )
        #expect(verdict(200, "").outcome == .accepted(providerID: nil))
    }

    @Test(
        "the time of a 410 is in milliseconds",
        arguments: [
            (#"{"reason":"Unregistered","timestamp":1454402113785}"#, Int64?.some(1_454_402_113_785)),
            (#"{"timestamp":"1454402113785","reason":"ExpiredToken"}"#, 1_454_402_113_785),
            (#"{"reason":"Unregistered","timestamp":"soon"}"#, nil),
            (#"{"reason":"Unregistered","timestamp":-1}"#, nil),
            (#"{"reason":"Unregistered"}"#, nil), ("", nil), ("<html>", nil),
        ]
    )
    func timestamp(body: String, milliseconds: Int64?) {
        #expect(
            verdict(410, body).outcome == .unregistered(since: milliseconds.map { Timestamp(milliseconds: $0) })
        )
    }

    @Test(
        "an unknown reason falls back to the class of its status",
        arguments: [
            (201, PushOutcome.accepted(providerID: nil)), (302, .misconfigured), (400, .rejected(token: .keep)),
            (401, .misconfigured), (403, .misconfigured), (404, .misconfigured), (405, .misconfigured),
            (408, later), (410, .unregistered(since: nil)), (413, .rejected(token: .keep)),
            (418, .rejected(token: .keep)), (429, later), (500, later), (502, severalLater), (503, severalLater),
            (599, severalLater), (0, .misconfigured), (999, .misconfigured),
        ]
    )
    func unknownReason(status: Int, outcome: PushOutcome) {
        for body in ["", #"{"reason":"BrandNew"}"#, "<html>busy</html>", "{", #"{"reason":7}"#, #"["reason"]"#] {
            #expect(verdict(status, body).outcome == outcome)
            #expect(verdict(status, body).remedy == .none)
        }
        #expect(verdict(status, #"{"reason":"BrandNew"}"#).reason == "BrandNew")
        #expect(verdict(status, "<html>").reason == nil)
    }

    @Test("a known reason with another status uses that status's class")
    func strayReason() {
        #expect(verdict(400, #"{"reason":"Unregistered"}"#).outcome == .rejected(token: .keep))
        #expect(verdict(500, #"{"reason":"BadDeviceToken"}"#).outcome == Self.later)
    }

    @Test("an unknown reason is sanitized and bounded")
    func sanitised() {
        let long = String(repeating: "R", count: 500)
        #expect(verdict(400, #"{"reason":"\#(long)"}"#).reason == String(repeating: "R", count: 64))
        #expect(verdict(400, #"{"reason":"Bad\u0000 <b>Thing\n"}"#).reason == "BadbThing")
        #expect(verdict(400, #"{"reason":"💥"}"#).reason == nil)
    }

    @Test("Retry-After is used if there is one")
    func retryAfter() {
        #expect(
            verdict(503, #"{"reason":"ServiceUnavailable"}"#, retryAfter: "120").outcome
                == .retry(afterSeconds: 120, scope: .lane)
        )
        #expect(verdict(429, "", retryAfter: "7").outcome == .retry(afterSeconds: 7, scope: .device))
        #expect(verdict(400, "", retryAfter: "7").outcome == .rejected(token: .keep))
    }
}
