import Foundation
import GatewayModel
import PushPayloads
import Testing

@Suite("Summary pushes of several messages")
struct SummaryPushTests {
    private static let tag = "summary-\(Fixtures.messageID)"

    private static func job(_ platform: DevicePlatform, summary: Int64, collapseKey: String?) -> PushJob {
        var job = Fixtures.job(Fixtures.message { $0.collapseKey = collapseKey }, platform: platform)
        job.summary = summary
        return job
    }

    @Test("have their own collapse id for APNs and a count, and only they do", arguments: [nil, "order"])
    func apns(collapseKey: String?) throws {
        let renderer = APNsRenderer(brand: Fixtures.brand(), topic: "com.example.app")
        for summary in [Int64(0), 12] {
            let request = renderer.request(
                for: Self.job(.ios, summary: summary, collapseKey: collapseKey),
                now: Fixtures.now
            )
            let own = collapseKey ?? Fixtures.messageID.description
            #expect(request.header("apns-collapse-id") == (summary > 0 ? Self.tag : own))
            #expect(try request.json["summary"] as? Int == (summary > 0 ? 12 : nil))
            #expect(try request.json["messageId"] as? String == Fixtures.messageID.description)
            let alert = (try request.json["aps"] as? NSDictionary)?["alert"] as? NSDictionary
            #expect(alert?["body"] as? String == (summary > 0 ? "12 new messages" : "Your order has shipped"))
        }
    }

    @Test("have their own tag at FCM and replace no other push there", arguments: [nil, "order"])
    func fcm(collapseKey: String?) throws {
        for style in [FCMSettings.Style.notification, .data] {
            let renderer = FCMRenderer(brand: Fixtures.brand(), projectID: "proj-1", style: style)
            for summary in [Int64(0), 12] {
                let job = Self.job(.android, summary: summary, collapseKey: collapseKey)
                let message = try #require(
                    try renderer.request(for: job, now: Fixtures.now).json["message"] as? NSDictionary
                )
                let android = try #require(message["android"] as? NSDictionary)
                #expect(android["collapse_key"] as? String == (summary > 0 ? nil : collapseKey))
                #expect((message["data"] as? NSDictionary)?["summary"] as? String == (summary > 0 ? "12" : nil))
                guard style == .notification else { continue }
                let notification = try #require(android["notification"] as? NSDictionary)
                let own = collapseKey ?? Fixtures.messageID.description
                #expect(notification["tag"] as? String == (summary > 0 ? Self.tag : own))
            }
        }
    }

    @Test("are as urgent and as loud as the summarized messages")
    func loud() throws {
        var job = Fixtures.job(
            Fixtures.message {
                $0.priority = .normal
                $0.sound = nil
            }
        )
        job.summary = 2
        let apns = APNsRenderer(brand: Fixtures.brand(), topic: "com.example.app")
        let fcm = FCMRenderer(brand: Fixtures.brand(), projectID: "proj-1", style: .notification)
        for isLoud in [false, true] {
            job.isUrgent = isLoud
            job.sound = isLoud ? "chime" : nil
            let request = apns.request(for: job, now: Fixtures.now)
            #expect(request.header("apns-priority") == (isLoud ? "10" : "5"))
            #expect((try request.json["aps"] as? NSDictionary)?["sound"] as? String == (isLoud ? "chime" : nil))
            var phone = job
            phone.platform = .android
            let message = try fcm.request(for: phone, now: Fixtures.now).json["message"] as? NSDictionary
            let android = try #require(message?["android"] as? NSDictionary)
            #expect(android["priority"] as? String == (isLoud ? "HIGH" : "NORMAL"))
            #expect((android["notification"] as? NSDictionary)?["sound"] as? String == (isLoud ? "chime" : nil))
        }
    }
}
