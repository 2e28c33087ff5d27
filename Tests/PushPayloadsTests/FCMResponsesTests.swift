import GatewayModel
import PushPayloads
import Testing

@Suite struct FCMResponsesTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var status: Int
        var body: String
        var outcome: PushOutcome
        var reason: String?
        var remedy: ResponseRemedy = .none
        var testDescription: String { name }
    }

    private static func error(_ status: Int, _ rpc: String, _ details: String..., message: String = "x") -> String {
        """
        {"error":{"code":\(status),"message":"\(message)","status":"\(rpc)",
         "details":[\(details.joined(separator: ","))]}}
        """
    }

    private static func fcm(_ code: String) -> String {
        #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#
    }

    private static let badToken =
        #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"message.token","description":"Invalid registration token"}]}"#
    private static let badField =
        #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"message.android.ttl","description":"bad"}]}"#
    private static let apnsGone =
        #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.ApnsError","statusCode":410,"reason":"Unregistered"}"#
    private static let expired =
        #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"ACCESS_TOKEN_EXPIRED","domain":"googleapis.com"}"#
    private static let deviceQuota =
        #"{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"device:x","description":"Device message rate exceeded"}]}"#
    private static let projectQuota =
        #"{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"project:1","description":"per minute"}]}"#

    /// Every row of the ProviderFacts page, B4, with details in both orders if there are two.
    static let rows: [Row] = [
        Row(
            name: "400 payload field",
            status: 400,
            body: error(400, "INVALID_ARGUMENT", badField, fcm("INVALID_ARGUMENT")),
            outcome: .rejected(token: .keep),
            reason: "INVALID_ARGUMENT"
        ),
        Row(
            name: "400 payload field of which only the rpc knows",
            status: 400,
            body: error(400, "INVALID_ARGUMENT", badField),
            outcome: .rejected(token: .keep),
            reason: "INVALID_ARGUMENT"
        ),
        Row(
            name: "400 token field",
            status: 400,
            body: error(400, "INVALID_ARGUMENT", fcm("INVALID_ARGUMENT"), badToken),
            outcome: .rejected(token: .quarantine),
            reason: "INVALID_ARGUMENT"
        ),
        Row(
            name: "400 token by message",
            status: 400,
            body: error(
                400,
                "INVALID_ARGUMENT",
                fcm("INVALID_ARGUMENT"),
                message: "The registration token is not a valid FCM registration token"
            ),
            outcome: .rejected(token: .quarantine),
            reason: "INVALID_ARGUMENT"
        ),
        Row(
            name: "400 APNs token gone",
            status: 400,
            body: error(400, "INVALID_ARGUMENT", fcm("INVALID_ARGUMENT"), apnsGone),
            outcome: .unregistered(since: nil),
            reason: "INVALID_ARGUMENT"
        ),
        Row(
            name: "400 APNs token gone, other order",
            status: 400,
            body: error(400, "INVALID_ARGUMENT", apnsGone, fcm("INVALID_ARGUMENT")),
            outcome: .unregistered(since: nil),
            reason: "INVALID_ARGUMENT"
        ),
        Row(
            name: "401 access token",
            status: 401,
            body: error(401, "UNAUTHENTICATED", expired),
            outcome: .misconfigured,
            reason: "UNAUTHENTICATED",
            remedy: .renewToken
        ),
        Row(
            name: "401 third party",
            status: 401,
            body: error(401, "UNAUTHENTICATED", fcm("THIRD_PARTY_AUTH_ERROR"), expired),
            outcome: .platformMisconfigured,
            reason: "THIRD_PARTY_AUTH_ERROR"
        ),
        Row(
            name: "403 sender",
            status: 403,
            body: error(403, "PERMISSION_DENIED", fcm("SENDER_ID_MISMATCH")),
            outcome: .rejected(token: .quarantine),
            reason: "SENDER_ID_MISMATCH"
        ),
        Row(
            name: "403 role",
            status: 403,
            body: error(403, "PERMISSION_DENIED"),
            outcome: .misconfigured,
            reason: "PERMISSION_DENIED"
        ),
        Row(
            name: "404 unregistered",
            status: 404,
            body: error(404, "NOT_FOUND", fcm("UNREGISTERED")),
            outcome: .unregistered(since: nil),
            reason: "UNREGISTERED"
        ),
        Row(
            name: "404 project",
            status: 404,
            body: error(404, "NOT_FOUND"),
            outcome: .misconfigured,
            reason: "NOT_FOUND"
        ),
        Row(
            name: "429 project",
            status: 429,
            body: error(429, "RESOURCE_EXHAUSTED", projectQuota, fcm("QUOTA_EXCEEDED")),
            outcome: .retry(afterSeconds: 60, scope: .lane),
            reason: "QUOTA_EXCEEDED"
        ),
        Row(
            name: "429 device",
            status: 429,
            body: error(429, "RESOURCE_EXHAUSTED", fcm("QUOTA_EXCEEDED"), deviceQuota),
            outcome: .retry(afterSeconds: 60, scope: .device),
            reason: "QUOTA_EXCEEDED"
        ),
        Row(
            name: "500",
            status: 500,
            body: error(500, "INTERNAL", fcm("INTERNAL")),
            outcome: .retry(afterSeconds: 10, scope: .device),
            reason: "INTERNAL"
        ),
        Row(
            name: "503",
            status: 503,
            body: error(503, "UNAVAILABLE", fcm("UNAVAILABLE")),
            outcome: .retry(afterSeconds: 10, scope: .laneIfSeveral),
            reason: "UNAVAILABLE"
        ),
        Row(
            name: "404 unspecified",
            status: 404,
            body: error(404, "NOT_FOUND", fcm("UNSPECIFIED_ERROR")),
            outcome: .misconfigured,
            reason: "UNSPECIFIED_ERROR"
        ),
        Row(
            name: "503 unspecified",
            status: 503,
            body: error(503, "UNAVAILABLE", fcm("UNSPECIFIED_ERROR")),
            outcome: .retry(afterSeconds: 10, scope: .laneIfSeveral),
            reason: "UNSPECIFIED_ERROR"
        ),
        Row(
            name: "502 HTML",
            status: 502,
            body: "<html><title>Error 502 (Server Error)</title></html>",
            outcome: .retry(afterSeconds: 10, scope: .laneIfSeveral)
        ),
        Row(name: "504 empty", status: 504, body: "", outcome: .retry(afterSeconds: 10, scope: .laneIfSeveral)),
    ]

    private func verdict(_ status: Int, _ body: String, retryAfter: String? = nil) -> ResponseVerdict {
        FCMResponses.verdict(status: status, body: Array(body.utf8), retryAfter: retryAfter, now: Fixtures.now)
    }

    @Test("each row of the table", arguments: rows)
    func row(row: Row) {
        let expected = ResponseVerdict(outcome: row.outcome, reason: row.reason, remedy: row.remedy)
        #expect(verdict(row.status, row.body) == expected)
    }

    @Test(
        "the name of a success is the provider's id, in any layout",
        arguments: [
            (#"{"name":"projects/p/messages/0:15"}"#, String?.some("projects/p/messages/0:15")),
            ("{\n  \"name\": \"projects/p/messages/0:15%a\"\n}\n", "projects/p/messages/0:15%a"),
            (#"{"x":1,"name":"n"}"#, "n"), (#"{"name":"a\/b"}"#, "a/b"), (#"{"nam":"a"}"#, nil), ("", nil),
            ("{\"name\"", nil), ("<html>", nil), (#"{"name":7,"b":"c"}"#, nil),
            (#"{"name":"\#(String(repeating: "n", count: 600))"}"#, nil),
        ]
    )
    func success(body: String, name: String?) {
        #expect(verdict(200, body) == ResponseVerdict(outcome: .accepted(providerID: name), reason: nil))
    }

    @Test("a token is never removed or quarantined because of a status alone", arguments: 300...599)
    func noDropOnStatus(status: Int) {
        let long = "{\"error\":{\"message\":\"registration token " + String(repeating: "x", count: 100_000)
        for body in ["", "<html>", "{}", "null", #"{"error":"x"}"#, #"{"error":{"details":{}}}"#, long] {
            switch verdict(status, body).outcome {
            case .unregistered, .rejected(token: .quarantine), .accepted: Issue.record("\(status) \(body.prefix(40))")
            default: break
            }
        }
    }

    @Test("Retry-After replaces the default, but a 5xx never waits less than 10 s")
    func retryAfter() {
        #expect(verdict(429, "", retryAfter: "5").outcome == .retry(afterSeconds: 5, scope: .lane))
        #expect(verdict(503, "", retryAfter: "5").outcome == .retry(afterSeconds: 10, scope: .lane))
        #expect(verdict(503, "", retryAfter: "90").outcome == .retry(afterSeconds: 90, scope: .lane))
        #expect(verdict(503, "", retryAfter: "999999").outcome == .retry(afterSeconds: 3600, scope: .lane))
    }
}
