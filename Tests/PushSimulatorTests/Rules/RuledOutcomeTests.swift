import PushSimulator
import Testing

@Suite struct RuledOutcomeTests {
    static let now = SimulatorTime(milliseconds: 1_800_000_000_123)
    static let accepted = PushVerdict(
        token: "ab",
        reason: nil,
        reply: SimulatorReply(status: 200, headers: [("apns-id", "the-id")])
    )
    static let refused = PushVerdict(token: "ab", reason: "BadTopic", reply: SimulatorReply(status: 400))

    static func bent(
        _ action: RuleAction,
        _ provider: SimulatedProvider = .apns,
        verdict: PushVerdict = accepted
    ) -> RuledOutcome {
        RuledOutcome(verdict, bentBy: action, provider: provider, at: now)
    }

    @Test("each of Apple's reasons can be set by its name alone", arguments: APNsReason.allCases)
    func reasons(reason: APNsReason) throws {
        let outcome = Self.bent(RuleAction(reason: reason.rawValue))
        #expect(outcome.result == .refused)
        #expect(outcome.status == reason.status)
        #expect(outcome.reason == reason.rawValue)
        let reply = try #require(outcome.reply)
        #expect(reply.headers.contains { $0.name == "apns-id" && $0.value == "the-id" })
        let body = try JSONValue(parsing: reply.body)
        #expect(body["reason"] == .string(reason.rawValue))
        #expect(body["timestamp"] == (reason.status == 410 ? .integer(Self.now.milliseconds) : nil))
    }

    @Test(
        "a status alone has the provider's usual reason",
        arguments: [
            (.apns, 410, "Unregistered"), (.apns, 429, "TooManyRequests"), (.apns, 503, "ServiceUnavailable"),
            (.fcm, 404, "UNREGISTERED"), (.fcm, 429, "QUOTA_EXCEEDED"), (.fcm, 503, "UNAVAILABLE"),
            (.fcm, 500, "INTERNAL"), (.fcm, 401, "UNAUTHENTICATED"),
            (.oauth, 400, "invalid_grant"), (.oauth, 401, "invalid_client"), (.oauth, 503, "internal_failure"),
        ] as [(SimulatedProvider, Int, String)]
    )
    func statuses(provider: SimulatedProvider, status: Int, reason: String) {
        let outcome = Self.bent(RuleAction(status: status), provider)
        #expect(outcome.status == status)
        #expect(outcome.reply?.status == status)
        #expect(outcome.reason == reason)
    }

    @Test(
        "FCM's codes set their status and rpc name",
        arguments: [
            ("INVALID_ARGUMENT", 400, "INVALID_ARGUMENT", true),
            ("THIRD_PARTY_AUTH_ERROR", 401, "UNAUTHENTICATED", true),
            ("SENDER_ID_MISMATCH", 403, "PERMISSION_DENIED", true),
            ("PERMISSION_DENIED", 403, "PERMISSION_DENIED", false),
            ("UNREGISTERED", 404, "NOT_FOUND", true), ("NOT_FOUND", 404, "NOT_FOUND", false),
            ("QUOTA_EXCEEDED", 429, "RESOURCE_EXHAUSTED", true), ("INTERNAL", 500, "INTERNAL", true),
            ("UNAVAILABLE", 503, "UNAVAILABLE", true), ("UNAUTHENTICATED", 401, "UNAUTHENTICATED", false),
        ]
    )
    func codes(code: String, status: Int, rpc: String, hasCode: Bool) throws {
        let outcome = Self.bent(RuleAction(reason: code), .fcm)
        #expect(outcome.status == status)
        let error = try JSONValue(parsing: try #require(outcome.reply).body)["error"]
        #expect(error?["status"] == .string(rpc))
        let codes = (error?["details"]?.elements ?? []).compactMap { $0["errorCode"]?.stringValue }
        #expect(codes == (hasCode ? [code] : []))
    }

    @Test("an invalid push keeps its own error")
    func wrongAnyway() {
        let outcome = Self.bent(RuleAction(status: 503, retryAfter: "9"), verdict: Self.refused)
        #expect(outcome.status == 400)
        #expect(outcome.reason == "BadTopic")
        #expect(outcome.reply?.headers.contains { $0.name == "retry-after" && $0.value == "9" } == true)
    }

    @Test("an HTML page has status 502 unless the rule sets another")
    func html() {
        #expect(Self.bent(RuleAction(html: "Sorry")).reply?.status == 502)
        let outcome = Self.bent(RuleAction(status: 504, html: "Sorry"), .fcm)
        #expect(outcome.result == .refused)
        #expect(outcome.status == 504)
        #expect(outcome.reply.map { String(decoding: $0.body, as: UTF8.self) }?.contains("<p>Sorry") == true)
    }

    @Test("the rule's time is in the 410")
    func timestamp() throws {
        let outcome = Self.bent(RuleAction(status: 410, timestamp: 5))
        #expect(try JSONValue(parsing: try #require(outcome.reply).body)["timestamp"] == .integer(5))
    }

    @Test(
        "an outcome without a response has a reason",
        arguments: [
            (RuleAction(drops: true), "drop"), (RuleAction(resetCode: 7), "reset"),
            (RuleAction(isSilent: true), "silent"),
            (RuleAction(goAway: .init(coversRequest: false)), "goaway"),
        ]
    )
    func unanswered(action: RuleAction, reason: String) {
        let outcome = Self.bent(action)
        #expect(outcome.result == .unanswered)
        #expect(outcome.reason == reason)
        #expect(outcome.reply == nil)
        #expect(outcome.status == nil)
    }

    @Test("delay, covering GOAWAY and stream limits do not change the response")
    func harmless() {
        let outcome = Self.bent(RuleAction(delayMilliseconds: 5, goAway: .init(), maxStreams: 1))
        #expect(outcome.result == .accepted)
        #expect(outcome.reply?.status == 200)
    }
}
