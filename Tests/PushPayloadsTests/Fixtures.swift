import Foundation
import GatewayModel
import PushPayloads
import Testing

/// Builds messages and pushes whose members a test overrides by name.
enum Fixtures {
    static let now = Timestamp(milliseconds: 1_767_323_045_678)
    static let messageID = MessageID(high: 0x019B_7C5E_1A2B_7001, low: 0x8123_4567_89AB_CDEF)

    static func brand(name: String = "Acme", preview: BrandSettings.Preview = .full) -> Brand {
        var settings = BrandSettings()
        settings.preview = preview
        return Brand(id: BrandID(trusted: "acme"), name: name, settings: settings, createdAt: now)
    }

    static func message(_ change: (inout AgentEvent) -> Void = { _ in }) -> Message {
        var event = AgentEvent(
            id: EventID(trusted: "evt-1"),
            type: .agentMessage,
            consumer: ConsumerID(trusted: "u-1")
        )
        event.dialog = "d-9"
        event.agentID = "8500.2001"
        event.agentNickname = "Dana"
        event.text = "Your order has shipped"
        event.data = JSONText(trusted: #"{"orderId":"A17","n":[1,2]}"#)
        event.link = PlatformLinks(
            ios: "https://i.example/a",
            android: "https://a.example/b",
            web: "https://w.example/c"
        )
        event.category = "AGENT_MESSAGE"
        event.sound = "default"
        change(&event)
        return Message(
            PostedEvent(event, messageID),
            brand: BrandID(trusted: "acme"),
            conversation: event.conversation ?? ConversationID(trusted: "c-9"),
            sequence: 7,
            acceptedAt: now,
            expiresAt: now.adding(seconds: 86_400)
        )
    }

    static func job(
        _ message: Message?,
        token: String = "ab12cd",
        platform: DevicePlatform = .ios,
        badge: Int64? = 3,
        ttlSeconds: Int64 = 86_400
    ) -> PushJob {
        PushJob(
            delivery: DeliveryID(41),
            registration: RegistrationID(5),
            token: token,
            platform: platform,
            message: message,
            badge: badge,
            expiresAt: now.adding(seconds: ttlSeconds)
        )
    }

    static func apns(
        _ message: Message?,
        brand: Brand = Fixtures.brand(),
        badge: Int64? = 3,
        ttlSeconds: Int64 = 86_400
    ) -> PushRequest {
        APNsRenderer(brand: brand, topic: "com.example.app")
            .request(for: job(message, badge: badge, ttlSeconds: ttlSeconds), now: now)
    }

    static func fcm(
        _ message: Message?,
        brand: Brand = Fixtures.brand(),
        style: FCMSettings.Style = .notification,
        token: String = "fcm-token:APA91b",
        platform: DevicePlatform = .android,
        badge: Int64? = 3,
        ttlSeconds: Int64 = 86_400
    ) -> PushRequest {
        FCMRenderer(brand: brand, projectID: "proj-1", style: style)
            .request(
                for: job(message, token: token, platform: platform, badge: badge, ttlSeconds: ttlSeconds),
                now: now
            )
    }
}

extension Fixtures {
    /// Makes a push that only sets the badge, after reads elsewhere.
    static func badgeJob(_ read: [ReadMark], platform: DevicePlatform = .ios) -> PushJob {
        var job = job(nil, token: platform == .ios ? "ab12cd" : "fcm-token:APA91b", platform: platform, badge: 2)
        job.read = read
        return job
    }

    static func mark(_ conversation: String, _ sequence: Int64, messages: Int) -> ReadMark {
        ReadMark(
            conversation: ConversationID(trusted: conversation),
            upToSequence: sequence,
            messageIDs: (0..<messages).map { MessageID(high: messageID.high, low: messageID.low - UInt64($0)) }
        )
    }
}

extension PushRequest {
    /// The body, parsed by an independent parser.
    var json: NSDictionary {
        get throws {
            try #require(try JSONSerialization.jsonObject(with: Data(body)) as? NSDictionary)
        }
    }

    func header(_ name: String) -> String? { headers.first { $0.name.description == name }?.value }
}

func dictionary(_ text: String) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
}

extension NSDictionary {
    /// Returns the value at a path of names, separated by dots.
    func at(_ path: String) -> Any? {
        path.split(separator: ".").reduce(self as Any?) { ($0 as? NSDictionary)?[String($1)] }
    }
}
