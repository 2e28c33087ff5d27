import Foundation
import GatewayModel
import PushPayloads
import Testing

@Suite("Pushes in quiet hours with mode silent")
struct QuietPushTests {
    private static func job(_ platform: DevicePlatform, isQuiet: Bool) -> PushJob {
        var job = Fixtures.job(Fixtures.message { $0.priority = .high }, platform: platform)
        job.isQuiet = isQuiet
        return job
    }

    @Test("APNs shows them without a sound, with low priority", arguments: [false, true])
    func apns(isQuiet: Bool) throws {
        let renderer = APNsRenderer(brand: Fixtures.brand(), topic: "com.example.app")
        let request = renderer.request(for: Self.job(.ios, isQuiet: isQuiet), now: Fixtures.now)
        let aps = try #require(try request.json["aps"] as? NSDictionary)
        #expect(aps["sound"] as? String == (isQuiet ? nil : "default"))
        #expect(aps["interruption-level"] as? String == (isQuiet ? "passive" : nil))
        #expect(aps["badge"] as? Int == 3)
        #expect(request.header("apns-priority") == (isQuiet ? "5" : "10"))
    }

    @Test(
        "FCM shows them on the app's quiet channel, and an app that shows them itself gets a mark",
        arguments: [false, true]
    )
    func fcm(isQuiet: Bool) throws {
        for style in [FCMSettings.Style.notification, .data] {
            let renderer = FCMRenderer(brand: Fixtures.brand(), projectID: "proj-1", style: style)
            let request = renderer.request(for: Self.job(.android, isQuiet: isQuiet), now: Fixtures.now)
            let message = try #require(try request.json["message"] as? NSDictionary)
            let android = try #require(message["android"] as? NSDictionary)
            #expect(android["priority"] as? String == (isQuiet ? "NORMAL" : "HIGH"))
            #expect((message["data"] as? NSDictionary)?["quiet"] as? String == (isQuiet ? "true" : nil))
            let notification = android["notification"] as? NSDictionary
            #expect((notification == nil) == (style == .data))
            guard let notification else { continue }
            #expect(notification["sound"] as? String == (isQuiet ? nil : "default"))
            #expect(notification["channel_id"] as? String == (isQuiet ? "switchboard.quiet" : nil))
            #expect(notification["notification_priority"] as? String == (isQuiet ? "PRIORITY_LOW" : nil))
            #expect(notification["notification_count"] as? Int == 3)
        }
    }
}
