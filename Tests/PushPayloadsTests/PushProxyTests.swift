import Foundation
import GatewayModel
import PushPayloads
import Testing

// PushPayloads has a type of this name too.
import enum SwitchboardClient.JSONValue

@testable import SwitchboardClient

@Suite("Pushes for a brand's push proxy")
struct PushProxyTests {
    private static let proxied: [PushType] = [.apns, .fcm, .huawei]

    private static func request(
        _ pushType: PushType,
        _ job: PushJob,
        preview: BrandSettings.Preview = .full
    ) -> PushRequest {
        var job = job
        if pushType != .apns { job.platform = .android }
        return PushProxyRenderer(brand: Fixtures.brand(preview: preview), pushType: pushType)
            .request(for: job, path: "/lp?a=1")
    }

    @Test("R183: an iPhone's push has LivePerson's members beside those of APNs")
    func apns() throws {
        let request = Self.request(.apns, Fixtures.job(Fixtures.message { $0.data = nil }))
        #expect(request.path == "/lp?a=1" && request.badge == 3)
        #expect(request.header("content-type") == "application/json")
        let expected = try dictionary(
            #"""
            {"aps":{"alert":"Dana: Your order has shipped","badge":3,"sound":"default","thread-id":"c-9",
              "category":"AGENT_MESSAGE","mutable-content":1},
             "push-service":1,"notificationType":"apn","device-token":"ab12cd","backendService":"ams",
             "conversationId":"c-9","dialogId":"d-9","originatorId":"8500.2001","brandId":"acme","sequence":7,
             "messageId":"019b7c5e-1a2b-7001-8123-456789abcdef","badge":3,
             "agent":{"id":"8500.2001","nickname":"Dana"},"link":"https://i.example/a","linkUnverified":true,
             "title":"Dana","text":"Your order has shipped"}
            """#
        )
        #expect(try request.json == expected)
    }

    @Test(
        "R183: with FCM and Huawei they are in an object, and the numbers are numbers",
        arguments: [PushType.fcm, .huawei]
    )
    func map(pushType: PushType) throws {
        let job = Fixtures.job(Fixtures.message { $0.kind = .c2m }, token: "tok\"en:1")
        let body = try Self.request(pushType, job).json
        #expect(
            Set(body.allKeys.compactMap { $0 as? String }) == [
                "data", "push-service", "notificationType", "device-token",
            ]
        )
        #expect(body["push-service"] as? Int == (pushType == .fcm ? 2 : 3))
        #expect(body["notificationType"] as? String == (pushType == .fcm ? "gcm" : "huawei"))
        #expect(body["device-token"] as? String == "tok\"en:1")
        #expect(body.at("data.message") as? String == "Your order has shipped")
        #expect(body.at("data.payload.backendService") as? String == "c2m")
        #expect(body.at("data.payload.sequence") as? Int == 7)
        #expect(body.at("data.payload.badge") as? Int == 3)
        #expect(body.at("data.payload.title") as? String == "Dana")
        #expect(body.at("data.payload.data.orderId") as? String == "A17")
        #expect(body.at("data.payload.link") as? String == "https://a.example/b")
    }

    @Test("the device library reads what a proxy passes on", arguments: proxied)
    func passedOn(pushType: PushType) throws {
        let request = Self.request(pushType, Fixtures.job(Fixtures.message()))
        let whole = try #require(JSONValue(parsing: Data(request.body), maxBytes: 65_536))
        let passed = pushType == .apns ? whole : try #require(whole["data"])
        let parser = PushParser(brandID: "acme", dialects: [.livePerson])
        let message = try #require(parser.parse(PushPayload(json: passed.data)))
        #expect(message.dialect == .livePerson && message.conversationID == "c-9" && message.badge == 3)
        #expect(message.text == "Your order has shipped" && message.id == Fixtures.messageID.description)
    }

    @Test("a push that only sets the badge has no message, and neither has a silent one", arguments: proxied)
    func quiet(pushType: PushType) throws {
        let isMap = pushType != .apns
        let badge = Self.request(pushType, Fixtures.badgeJob([Fixtures.mark("c-9", 7, messages: 1)]))
        let body = try badge.json
        #expect(badge.badge == 2)
        #expect(body.at(isMap ? "data.payload.badge" : "badge") as? Int == 2)
        #expect(body.at(isMap ? "data.payload.brandId" : "brandId") as? String == "acme")
        #expect((body.at(isMap ? "data.payload.read" : "read") as? [Any])?.count == 1)
        #expect(body.at("data.message") == nil && body.at("aps.alert") == nil)
        #expect(body.at("aps.badge") as? Int == (isMap ? nil : 2))
        let silent = Self.request(pushType, Fixtures.job(Fixtures.message { $0.silent = true }))
        #expect(silent.badge == nil)
        let text = String(decoding: silent.body, as: UTF8.self)
        #expect(text.contains(#""silent":true"#) && !text.contains("shipped") && !text.contains("Dana"))
        #expect(try silent.json.at("aps.content-available") as? Int == (isMap ? nil : 1))
    }

    @Test("what the brand hides is in no push, and each fits", arguments: proxied)
    func bounds(pushType: PushType) throws {
        let hidden = Self.request(pushType, Fixtures.job(Fixtures.message { $0.data = nil }), preview: .none)
        #expect(!String(decoding: hidden.body, as: UTF8.self).contains("shipped"))
        let long = Fixtures.message { event in
            event.text = String(repeating: "wörd \"", count: 2000)
            event.data = JSONText(trusted: #"{"a":"\#(String(repeating: "x", count: 5000))"}"#)
        }
        let request = Self.request(pushType, Fixtures.job(long))
        #expect(request.body.count <= PushProxyRenderer.maxPayloadBytes + "ab12cd".utf8.count)
        let body = try request.json
        #expect(body.at(pushType == .apns ? "truncated" : "data.payload.truncated") as? Bool == true)
        let names = String(repeating: "n", count: 256)
        let wide = Fixtures.message { event in
            event.conversation = ConversationID(trusted: names)
            event.dialog = names
            event.agentID = names
            event.title = String(repeating: "t", count: 1024)
            event.link = PlatformLinks(ios: "https://i.example/" + String(repeating: "l", count: 2000))
            event.text = String(repeating: "\u{1}", count: 3000)
        }
        let bare = Self.request(pushType, Fixtures.job(wide))
        #expect(bare.body.count <= PushProxyRenderer.maxPayloadBytes + "ab12cd".utf8.count)
        #expect(try bare.json.count > 3)
    }

    @Test(
        "R183: the status decides",
        arguments: [
            (200, .accepted(providerID: nil)), (204, .accepted(providerID: nil)), (301, .misconfigured),
            (400, .rejected(token: .keep)), (401, .misconfigured), (403, .rejected(token: .quarantine)),
            (404, .misconfigured), (405, .misconfigured), (407, .misconfigured),
            (408, .retry(afterSeconds: 10, scope: .device)), (410, .rejected(token: .keep)),
            (413, .rejected(token: .keep)), (429, .retry(afterSeconds: 10, scope: .lane)),
            (500, .retry(afterSeconds: 10, scope: .laneIfSeveral)),
            (503, .retry(afterSeconds: 10, scope: .laneIfSeveral)), (700, .misconfigured),
        ] as [(Int, PushOutcome)]
    )
    func verdicts(status: Int, outcome: PushOutcome) {
        let verdict = PushProxyResponses.verdict(status: status, retryAfter: nil, now: Fixtures.now)
        #expect(verdict == ResponseVerdict(outcome: outcome, reason: nil))
    }

    @Test("a proxy that names a time is left alone until then")
    func retryAfter() {
        let verdict = PushProxyResponses.verdict(status: 503, retryAfter: "30", now: Fixtures.now)
        #expect(verdict.outcome == .retry(afterSeconds: 30, scope: .lane))
        let atOnce = PushProxyResponses.verdict(status: 429, retryAfter: "0", now: Fixtures.now)
        #expect(atOnce.outcome == .retry(afterSeconds: 1, scope: .lane))
        let accepted = PushProxyResponses.verdict(status: 200, retryAfter: "30", now: Fixtures.now)
        #expect(accepted.outcome == .accepted(providerID: nil))
    }
}
