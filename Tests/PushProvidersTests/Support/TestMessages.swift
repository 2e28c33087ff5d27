import Cryptography
import GatewayModel

/// Brands, apps and messages for tests.
enum TestMessages {
    static let now = Timestamp(milliseconds: 1_767_323_045_678)
    static let brand = Brand(id: BrandID(trusted: "acme"), name: "Acme", settings: BrandSettings(), createdAt: now)
    static let appID = AppID(trusted: "app")

    static func message(_ change: (inout AgentEvent) -> Void = { _ in }) -> Message {
        var event = AgentEvent(
            id: EventID(trusted: "evt-1"),
            type: .agentMessage,
            consumer: ConsumerID(trusted: "u-1")
        )
        event.text = "Your order has shipped"
        change(&event)
        return Message(
            PostedEvent(event, MessageID(high: 0x019B_7C5E_1A2B_7001, low: 0x8123_4567_89AB_CDEF)),
            brand: brand.id,
            conversation: ConversationID(trusted: "c-9"),
            sequence: 7,
            acceptedAt: now,
            expiresAt: now.adding(seconds: 86_400)
        )
    }

    static func lane(_ pushType: PushType, _ environment: PushEnvironment = .production) -> LaneKey {
        LaneKey(brand: brand.id, app: appID, pushType: pushType, environment: environment)
    }

    static func apns(
        key: P256.PrivateKey,
        port: Int,
        sandbox: APNsTokenSettings.SandboxKey? = nil
    ) -> AppSettings {
        AppSettings(
            platform: .ios,
            apns: APNsSettings(
                teamId: "TEAM123456",
                keyId: "KEY1234567",
                privateKey: key.pemRepresentation,
                topic: "com.example.app",
                sandboxKey: sandbox,
                endpoints: .init(production: "https://localhost:\(port)", sandbox: "https://localhost:\(port)/")
            )
        )
    }

    static func fcm(port: Int, privateKey: String = TestCertificates.rsaKey) -> AppSettings {
        AppSettings(
            platform: .android,
            fcm: FCMSettings(
                serviceAccount: .init(
                    projectId: "proj-1",
                    privateKeyId: "kid-1",
                    privateKey: privateKey,
                    clientEmail: "push@proj-1.iam.gserviceaccount.com",
                    tokenUri: "https://localhost:\(port)/token"
                ),
                endpoint: "https://localhost:\(port)"
            )
        )
    }
}
