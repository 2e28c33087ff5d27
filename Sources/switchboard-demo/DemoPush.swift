import Foundation
import GatewayClient
import PushSimulator

/// A push as a simulated provider received it, for display.
struct DemoPush {
    /// `apns` or `fcm`.
    let provider: String
    /// Whether the provider accepted it.
    let isAccepted: Bool
    /// The provider's reason if it did not.
    let reason: String
    /// The parsed body.
    let body: GatewayClient.JSONValue

    private let path: String
    private let headers: [(name: String, value: String)]

    /// Creates it from a push that the simulator received.
    ///
    /// - Parameter push: One push.
    init(_ push: SimulatedPush) {
        provider = push.provider.rawValue
        isAccepted = push.result == .accepted
        reason = push.reason ?? ""
        body = (try? GatewayClient.JSONValue(parsing: Data(push.body))) ?? .null
        path = push.path
        headers = push.headers
    }

    /// The badge that the push sets; nil when it sets none.
    var badge: Int64? {
        if provider == "apns" { return body["aps"]["badge"].integer }
        return fcm["data"]["badge"].string.flatMap { Int64($0) }
    }

    /// The visible title; empty for a silent push.
    var title: String {
        provider == "apns" ? body["aps"]["alert"]["title"].plain : fcm["data"]["title"].plain
    }

    /// The visible text; empty for a silent push.
    var text: String {
        provider == "apns" ? body["aps"]["alert"]["body"].plain : fcm["data"]["text"].plain
    }

    /// The id of the message.
    var messageID: String {
        provider == "apns" ? body["messageId"].plain : fcm["data"]["messageId"].plain
    }

    /// The push as lines of text.
    var lines: String {
        let name = provider == "apns" ? "APNs" : "FCM "
        var text = "  \(name) received POST \(shortened(path))\n"
        let interesting = ["apns-topic", "apns-push-type", "apns-priority", "apns-id", "apns-collapse-id"]
        for header in headers where interesting.contains(header.name) {
            text += "         \(header.name): \(header.value)\n"
        }
        if provider == "fcm" {
            text += "         android.priority: \(fcm["android"]["priority"].plain)"
            let count = fcm["android"]["notification"]["notification_count"]
            if count != .null { text += ", notification_count: \(count.plain)" }
            text += "\n"
        }
        let shown = self.text.isEmpty ? "nothing" : "\"\(title)\": \"\(self.text)\""
        text += "         shows \(shown), badge \(badge.map { String($0) } ?? "unchanged")"
        return isAccepted ? text : text + "\n         rejected: \(reason)"
    }

    private var fcm: GatewayClient.JSONValue { body["message"] }

    private func shortened(_ path: String) -> String {
        path.split(separator: "/").map { $0.count > 24 ? "\($0.prefix(8))..." : String($0) }
            .map { "/" + $0 }
            .joined()
    }
}
