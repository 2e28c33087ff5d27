import PushSimulator
import Testing

/// The parts of a message for Apple devices and browsers.
@Suite struct FCMPlatformPartTests {
    private static func verdict(_ part: String) -> PushVerdict {
        FCMValidatorTests.verdict(#"{"message":{"token":"t",\#(part)}}"#)
    }

    @Test(
        "documented members of Google, Apple and RFC 8030 are accepted",
        arguments: [
            #""apns":{"headers":{"apns-priority":"10","apns-push-type":"alert","apns-expiration":"0","apns-collapse-id":"k"}}"#,
            #""apns":{"payload":{"aps":{"alert":{"title":"t","body":"b","loc-args":["x"]},"badge":0,"sound":"default"},"x":[1]}}"#,
            #""apns":{"payload":{"aps":{"alert":"b","sound":{"critical":1,"name":"n","volume":0.5},"thread-id":"c"}}}"#,
            #""apns":{"headers":{"apns-push-type":"background","apns-priority":"5"},"payload":{"aps":{"content-available":1}}}"#,
            #""apns":{"payload":{"aps":{"badge":1,"interruption-level":"passive","relevance-score":0.2,"mutable-content":1}}}"#,
            #""apns":{"headers":{"apns-topic":"com.example.app","apns-push-type":"alert"}}"#,
            #""webpush":{"headers":{"TTL":"0","Urgency":"very-low","Topic":"a_b-C9"}}"#,
            #""webpush":{"headers":{"ttl":"2419200"},"data":{"a":"b"},"notification":{"title":"t","silent":true,"x":[1]}}"#,
            #""webpush":{"notification":{"actions":[],"dir":"rtl","timestamp":1,"data":{"a":1}},"fcmOptions":{"link":"https://a.example"}}"#,
        ]
    )
    func accepted(part: String) {
        let verdict = Self.verdict(part)
        #expect(verdict.reason == nil, "\(String(decoding: verdict.reply.body, as: UTF8.self))")
    }

    static let refused: [(part: String, field: String)] = [
        (#""apns":{"headers":{"apns-priority":"3"}}"#, "message.apns.headers"),
        (#""apns":{"headers":{"apns-push-type":"background","apns-priority":"10"}}"#, "message.apns.headers"),
        (#""apns":{"headers":{"apns-push-type":"none"}}"#, "message.apns.headers"),
        (#""apns":{"headers":{"apns-expiration":"soon"}}"#, "message.apns.headers"),
        (#""apns":{"headers":{"apns-collapse-id":"\#(String(repeating: "k", count: 65))"}}"#, "message.apns.headers"),
        (#""apns":{"headers":{"apns-topic":"com.example.app","apns-push-type":"voip"}}"#, "message.apns.headers"),
        (#""apns":{"headers":{"authorization":"bearer x"}}"#, "message.apns.headers"),
        (#""apns":{"payload":{"x":1}}"#, "message.apns.payload"),
        (#""apns":{"payload":{"aps":"x"}}"#, "message.apns.payload.aps"),
        (#""apns":{"payload":{"aps":{"badge":"1"}}}"#, "message.apns.payload.aps.badge"),
        (#""apns":{"payload":{"aps":{"badge":-1}}}"#, "message.apns.payload.aps.badge"),
        (#""apns":{"payload":{"aps":{"alert":{"text":"x"}}}}"#, "message.apns.payload.aps.alert"),
        (#""apns":{"payload":{"aps":{"sound":1}}}"#, "message.apns.payload.aps.sound"),
        (#""apns":{"payload":{"aps":{"content-available":true}}}"#, "message.apns.payload.aps.content-available"),
        (#""apns":{"payload":{"aps":{"interruption-level":"low"}}}"#, "message.apns.payload.aps.interruption-level"),
        (
            #""apns":{"headers":{"apns-push-type":"background"},"payload":{"aps":{"content-available":1,"badge":1}}}"#,
            "message.apns.payload.aps"
        ),
        (
            #""apns":{"headers":{"apns-push-type":"alert"},"payload":{"aps":{"content-available":1}}}"#,
            "message.apns.payload.aps"
        ),
        (#""webpush":{"headers":{"TTL":"60s"}}"#, "message.webpush.headers"),
        (#""webpush":{"headers":{"TTL":"2419201"}}"#, "message.webpush.headers"),
        (#""webpush":{"headers":{"Urgency":"HIGH"}}"#, "message.webpush.headers"),
        (#""webpush":{"headers":{"Topic":"a.b"}}"#, "message.webpush.headers"),
        (#""webpush":{"headers":{"Topic":"\#(String(repeating: "k", count: 33))"}}"#, "message.webpush.headers"),
        (#""webpush":{"headers":{"X-Other":"1"}}"#, "message.webpush.headers"),
        (#""webpush":{"data":{"from":"x"}}"#, "message.webpush.data"),
        (#""webpush":{"notification":{"badge":1}}"#, "message.webpush.notification.badge"),
        (#""webpush":{"notification":{"silent":"true"}}"#, "message.webpush.notification.silent"),
        (#""webpush":{"fcm_options":{"link":"shop://x"}}"#, "message.webpush.fcm_options.link"),
    ]

    @Test("others get 400 INVALID_ARGUMENT with the field", arguments: refused.indices)
    func rejection(index: Int) throws {
        let row = Self.refused[index]
        let verdict = Self.verdict(row.part)
        #expect(verdict.reply.status == 400 && verdict.reason == "INVALID_ARGUMENT")
        let details = try #require(try FCMValidatorTests.error(verdict)?["details"]?.elements)
        let fields = details.compactMap { $0["fieldViolations"]?[0]?["field"]?.stringValue }
        #expect(fields == [row.field])
    }

    @Test(
        "the payload for one device is at most 4096 bytes, whichever part it comes from",
        arguments: [
            #""apns":{"payload":{"aps":{"alert":"\#(FCMValidatorTests.big)"}}}"#,
            #""apns":{"payload":{"aps":{"badge":1},"x":["\#(FCMValidatorTests.big)"]}}"#,
            #""webpush":{"data":{"a":"\#(FCMValidatorTests.big)"}}"#,
            #""webpush":{"notification":{"body":"\#(FCMValidatorTests.big)"}}"#,
        ]
    )
    func size(part: String) {
        #expect(Self.verdict(part).reason == "INVALID_ARGUMENT")
    }
}
