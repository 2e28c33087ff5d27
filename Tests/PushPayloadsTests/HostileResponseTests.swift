import GatewayModel
import ProcessHarness
import PushPayloads
import Testing
import TextFormats

@Suite("A provider's response that is expensive to normalize")
struct HostileResponseTests {
    private static let now = Timestamp(milliseconds: 0)

    @Test(
        "has a cost linear in its length, wherever the text is",
        arguments: [
            #"{"reason":"~"}"#, #"{"~":"BadTopic"}"#, #"{"reason":"BadTopic","~":1}"#,
            #"{"error":{"status":"~","message":"~"}}"#,
            #"{"error":{"details":[{"@type":"~"}]}}"#,
            #"{"error":{"details":[{"@type":"x.FcmError","errorCode":"~"}]}}"#,
            #"{"error":{"details":[{"@type":"x.ApnsError","reason":"~"}]}}"#,
            #"{"error":{"details":[{"@type":"x.BadRequest","fieldViolations":[{"field":"~"}]}]}}"#,
            #"{"error":{"details":[{"@type":"x.QuotaFailure","violations":[{"subject":"~","description":"~"}]}]}}"#,
            "~",
        ]
    )
    func bodies(_ shape: String) {
        let parts = shape.split(separator: "~", omittingEmptySubsequences: false)
        #expect(
            HostileText.isLinear(bytes: 32_768) { text in
                let body = Array(parts.joined(separator: text).utf8)
                for status in [400, 403, 410, 429, 503] {
                    _ = APNsResponses.verdict(
                        status: status,
                        body: body,
                        apnsID: text,
                        retryAfter: text,
                        now: Self.now
                    )
                    _ = FCMResponses.verdict(status: status, body: body, retryAfter: text, now: Self.now)
                }
            }
        )
    }

    @Test("is not a valid Retry-After")
    func retryAfter() {
        for (before, after) in [("", ""), ("Sun, 06 ", " 1994 08:49:37 GMT"), ("Sun, 06 Nov 1994 ", " GMT")] {
            let isLinear = HostileText.isLinear {
                _ = RetryAfter.seconds(before + $0 + after, nowMilliseconds: Self.now.milliseconds)
            }
            #expect(isLinear)
        }
        let date = "Sun, 06 " + HostileText.marks(bytes: 40) + " 1994 08:49:37 GMT"
        #expect(RetryAfter.seconds(date, nowMilliseconds: Self.now.milliseconds) == nil)
    }
}
