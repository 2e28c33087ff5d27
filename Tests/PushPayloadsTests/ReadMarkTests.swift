import Foundation
import GatewayModel
import PushPayloads
import Testing

@Suite("A badge push after a read elsewhere")
struct ReadMarkTests {
    private static let first = Fixtures.messageID.description

    @Test("has the read marks beside aps, and does not wake the app")
    func apns() throws {
        let renderer = APNsRenderer(brand: Fixtures.brand(), topic: "com.example.app")
        let marks = [Fixtures.mark("c-9", 7, messages: 1), Fixtures.mark(#"c "8""#, 3, messages: 0)]
        let request = renderer.request(for: Fixtures.badgeJob(marks), now: Fixtures.now)
        let expected = try dictionary(
            #"""
            {"aps":{"badge":2},"brandId":"acme","read":[
             {"conversation":"c-9","upToSequence":7,"messageIds":["\#(Self.first)"]},
             {"conversation":"c \"8\"","upToSequence":3,"messageIds":[]}]}
            """#
        )
        #expect(try request.json == expected)
        #expect(request.header("apns-push-type") == "alert" && request.header("apns-priority") == "5")
        #expect(request.badge == 2)
    }

    @Test("wakes the app if its setting is on, and only with read marks")
    func waking() throws {
        let renderer = APNsRenderer(brand: Fixtures.brand(), topic: "com.example.app", wakesOnRead: true)
        let read = renderer.request(for: Fixtures.badgeJob([Fixtures.mark("c-9", 7, messages: 0)]), now: Fixtures.now)
        #expect(try read.json["aps"] as? NSDictionary == ["badge": 2, "content-available": 1])
        let nothing = renderer.request(for: Fixtures.badgeJob([]), now: Fixtures.now)
        #expect(try nothing.json == ["aps": ["badge": 2]])
    }

    @Test("has the marks as JSON text in FCM's data")
    func fcm() throws {
        let renderer = FCMRenderer(brand: Fixtures.brand(), projectID: "proj-1", style: .notification)
        let marks = [Fixtures.mark(#"c "9""#, 7, messages: 2)]
        let request = renderer.request(for: Fixtures.badgeJob(marks, platform: .android), now: Fixtures.now)
        let message = try #require(try request.json["message"] as? NSDictionary)
        let data = try #require(message["data"] as? [String: String])
        #expect(data["badge"] == "2" && data.keys.sorted() == ["badge", "brandId", "read"])
        let read = try JSONSerialization.jsonObject(with: Data(try #require(data["read"]).utf8)) as? [NSDictionary]
        let second = MessageID(high: Fixtures.messageID.high, low: Fixtures.messageID.low - 1).description
        #expect(read == [["conversation": #"c "9""#, "upToSequence": 7, "messageIds": [Self.first, second]]])
        #expect(message["notification"] == nil)
    }

    @Test(
        "is never too large: marks that do not fit are left out, the newest never is",
        arguments: [String(repeating: "\"", count: 256), String(repeating: "x", count: 256), "c-9"]
    )
    func size(conversation: String) throws {
        let marks = (0..<ReadMark.maxConversations).map { number in
            Fixtures.mark(conversation, Int64.max - Int64(number), messages: number == 0 ? ReadMark.maxMessages : 0)
        }
        let apns = APNsRenderer(brand: Fixtures.brand(), topic: "com.example.app")
            .request(for: Fixtures.badgeJob(marks), now: Fixtures.now)
        #expect(apns.body.count <= 4096)
        let read = try #require(try apns.json["read"] as? [NSDictionary])
        #expect(read.first?["upToSequence"] as? Int64 == .max)
        #expect((read.first?["messageIds"] as? [String])?.count == ReadMark.maxMessages)
        #expect(conversation.count > 3 ? read.count < marks.count : read.count == marks.count)
        let fcm = FCMRenderer(brand: Fixtures.brand(), projectID: "proj-1", style: .data, wakesOnRead: true)
        for platform in DevicePlatform.allCases {
            let request = fcm.request(for: Fixtures.badgeJob(marks, platform: platform), now: Fixtures.now)
            #expect(request.body.count <= FCMRenderer.maxPayloadBytes)
        }
    }
}
