import GatewayModel
import PushSimulator
import Testing

@Suite("The outcome of undocumented responses", .timeLimit(.minutes(10)))
struct UnexpectedResponseTests {
    private static let html = "<!DOCTYPE html><title>Error 502 (Server Error)!!1</title>"
    private static let long = String(repeating: "R", count: 300)

    private static func json(_ status: Int, _ text: String) -> RuleAction {
        RuleAction(status: status, body: Array(text.utf8))
    }

    private static let apns: [OutcomeRow] = [
        // Unknown reasons: the class of the status.
        .other(.apns, "400 unknown word", json(400, #"{"reason":"Novel"}"#), reason: "Novel", .failed),
        .other(
            .apns,
            "401 unknown word",
            json(401, #"{"reason":"Novel"}"#),
            reason: "Novel",
            .again(.breaker),
            lane: .stopped
        ),
        .other(
            .apns,
            "403 unknown word",
            json(403, #"{"reason":"Novel"}"#),
            reason: "Novel",
            .again(.breaker),
            lane: .stopped
        ),
        .other(.apns, "408 empty", json(408, ""), reason: nil, .again(.schedule)),
        .other(
            .apns,
            "410 unknown word",
            json(410, #"{"reason":"Novel"}"#),
            reason: "Novel",
            .failed,
            device: .dropped
        ),
        .other(.apns, "418 unknown word", json(418, #"{"reason":"Novel"}"#), reason: "Novel", .failed),
        .other(.apns, "429 unknown word", json(429, #"{"reason":"Novel"}"#), reason: "Novel", .again(.schedule)),
        .other(.apns, "500 unknown word", json(500, #"{"reason":"Novel"}"#), reason: "Novel", .again(.schedule)),
        .other(
            .apns,
            "503 unknown word",
            json(503, #"{"reason":"Novel"}"#),
            reason: "Novel",
            .again(.schedule)
        ),
        .other(
            .apns,
            "302 of a proxy",
            json(302, html),
            reason: nil,
            .again(.breaker),
            lane: .stopped
        ),
        // A known reason with another status must not remove or stop anything.
        .other(
            .apns,
            "400 Unregistered",
            json(400, #"{"reason":"Unregistered"}"#),
            reason: "Unregistered",
            .failed
        ),
        // Bodies of any kind.
        .other(
            .apns,
            "502 HTML",
            RuleAction(status: 502, html: "Bad gateway"),
            reason: nil,
            .again(.schedule)
        ),
        .other(.apns, "400 empty", json(400, ""), reason: nil, .failed),
        .other(
            .apns,
            "503 huge",
            json(503, #"{"x":""# + String(repeating: "x", count: 200_000) + #"","reason":"Shutdown"}"#),
            reason: nil,
            .again(.schedule)
        ),
        .other(.apns, "500 broken JSON", json(500, #"{"reason":"Bad"#), reason: nil, .again(.schedule)),
        .other(.apns, "400 number for word", json(400, #"{"reason":7}"#), reason: nil, .failed),
        .other(.apns, "400 array", json(400, #"["BadDeviceToken"]"#), reason: nil, .failed),
        .other(
            .apns,
            "410 text for time",
            json(410, #"{"reason":"Unregistered","timestamp":"soon"}"#),
            reason: "Unregistered",
            .failed,
            device: .dropped
        ),
        .other(
            .apns,
            "410 time beyond any",
            json(410, #"{"reason":"Unregistered","timestamp":1e300}"#),
            reason: "Unregistered",
            .failed,
            device: .dropped
        ),
        .other(
            .apns,
            "400 not UTF-8",
            RuleAction(status: 400, body: Array(#"{"reason":"Bad"#.utf8) + [0xFF, 0xC0] + Array(#"Thing"}"#.utf8)),
            reason: "BadThing",
            .failed
        ),
        .other(.apns, "400 only bytes", RuleAction(status: 400, body: [0xFF, 0x00, 0xFE]), reason: nil, .failed),
        .other(
            .apns,
            "400 long word",
            json(400, #"{"reason":"\#(long)"}"#),
            reason: String(repeating: "R", count: 64),
            .failed
        ),
        .other(.apns, "200 with a body", json(200, html), reason: nil, .accepted),
    ]

    private static let fcm: [OutcomeRow] = [
        .other(.fcm, "400 HTML", RuleAction(status: 400, html: "No"), reason: nil, .failed),
        .other(
            .fcm,
            "404 HTML",
            RuleAction(status: 404, html: "No"),
            reason: nil,
            .again(.breaker),
            lane: .stopped
        ),
        .other(.fcm, "401 empty", json(401, ""), reason: nil, .again(.none), credential: .renewed),
        .other(.fcm, "408 empty", json(408, ""), reason: nil, .again(.tenSeconds)),
        .other(
            .fcm,
            "404 huge",
            json(
                404,
                GoogleError.body(
                    404,
                    "NOT_FOUND",
                    GoogleError.fcm("UNREGISTERED"),
                    message: String(repeating: "x", count: 200_000)
                )
            ),
            reason: nil,
            .again(.breaker),
            lane: .stopped
        ),
        .other(.fcm, "500 broken JSON", json(500, #"{"error":{"status":"INTER"#), reason: nil, .again(.tenSeconds)),
        .other(
            .fcm,
            "400 details of a wrong kind",
            json(400, #"{"error":{"code":"x","message":[],"status":4,"details":{"errorCode":"UNREGISTERED"}}}"#),
            reason: nil,
            .failed
        ),
        .other(
            .fcm,
            "404 word of a wrong kind",
            json(404, #"{"error":{"details":[{"@type":"a/FcmError","errorCode":404},7,null]}}"#),
            reason: nil,
            .again(.breaker),
            lane: .stopped
        ),
        .other(
            .fcm,
            "400 not UTF-8",
            RuleAction(status: 400, body: Array(#"{"error":{"status":""#.utf8) + [0xC3, 0x28] + Array(#""}}"#.utf8)),
            reason: nil,
            .failed
        ),
        .other(
            .fcm,
            "400 long word",
            json(400, GoogleError.body(400, "X", GoogleError.fcm(long))),
            reason: String(repeating: "R", count: 64),
            .failed
        ),
        .other(.fcm, "200 without a name", json(200, html), reason: nil, .accepted),
        .other(.fcm, "200 empty", json(200, ""), reason: nil, .accepted),
    ]

    @Test("nothing is lost, removed or stopped without a reason", arguments: apns + fcm)
    func row(_ row: OutcomeRow) async throws {
        try await SendingFixture.run { fixture in try await OutcomeCase(row, fixture).play() }
    }
}
