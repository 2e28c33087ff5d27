import Delivery
import Foundation
import GatewayClient
import GatewayHTTP
import GatewayModel
import GuardedHTTP
import Identity
import Outbound
import PushProviders
import Testing

@testable import Gateway

@Suite("Conditions of which operators hear")
struct OperatorConditionsTests {
    private static let key = LaneKey(
        brand: BrandID(trusted: "acme"),
        app: AppID(trusted: "ios"),
        pushType: .apns,
        environment: .production
    )

    private static func status(_ state: LaneStatus.State) -> LaneStatus {
        var status = LaneStatus()
        status.state = state
        return status
    }

    @Test(
        "a lane's state is a condition of its own type; what passes by itself must hold for a minute",
        arguments: [
            (.idle, nil, 0), (.sending, nil, 0), (.quota, nil, 0), (.paused, nil, 0), (.closed, nil, 0),
            (.stopped, .laneStopped, 0), (.suspended, .laneSuspended, 0), (.unreachable, .laneUnreachable, 60),
            (.overloaded, .laneOverloaded, 60),
        ] as [(LaneStatus.State, OperatorEventType?, Int64)]
    )
    func states(state: LaneStatus.State, type: OperatorEventType?, hold: Int64) {
        let found = OperatorConditions.conditions(of: Self.key, Self.status(state))
        #expect(found.map(\.subject.type) == (type.map { [$0] } ?? []))
        #expect(found.allSatisfy { $0.subject.brand == Self.key.brand && $0.subject.name == "ios:apns:production" })
        #expect(found.allSatisfy { $0.holdSeconds == hold })
    }

    @Test("a provider's reason is named only if it is documented: it could hold a token")
    func reason() {
        func reason(_ text: String) -> String? {
            var status = Self.status(.stopped)
            status.cause = LaneCause(
                PushResponse(
                    outcome: .misconfigured,
                    status: 403,
                    reason: text,
                    badge: nil,
                    sentAt: Timestamp(milliseconds: 0),
                    latencyMilliseconds: 1
                )
            )
            let found = OperatorConditions.conditions(of: Self.key, status)
            #expect(found.map(\.status) == [403])
            return found.first?.reason
        }
        #expect(reason("InvalidProviderToken") == "InvalidProviderToken")
        #expect(reason(String(repeating: "a1", count: 32)) == "other")
    }

    @Test("platforms that wait are one condition, whose steps are the platforms")
    func platforms() {
        var status = Self.status(.sending)
        status.stoppedPlatforms = [.web: Timestamp(milliseconds: 1), .ios: Timestamp(milliseconds: 2)]
        let found = OperatorConditions.conditions(of: Self.key, status)
        #expect(found.map(\.subject.type) == [.platformStopped] && found.map(\.level) == ["ios,web"])
    }

    @Test(
        "a canary is a condition of its lane while its device or provider fails, at the level of its own condition",
        arguments: [
            (.waiting, nil), (.held, nil), (.accepted, nil), (.failing, 410), (.gone, 410), (.noReceipt, nil),
        ] as [(CanaryStatus.Condition, Int?)]
    )
    func canaries(condition: CanaryStatus.Condition, status: Int?) {
        let found = OperatorConditions.condition(of: Self.key, condition, status: 410, reason: "Unregistered")
        #expect((found != nil) == [.failing, .gone, .noReceipt].contains(condition))
        guard let found else { return }
        #expect(found.subject == .init(.canaryFailing, brand: Self.key.brand, name: "ios:apns:production"))
        #expect(found.level == condition.rawValue && found.holdSeconds == 0 && found.status == status)
        #expect(found.reason == (status == nil ? nil : "Unregistered"))
        let foreign = OperatorConditions.condition(of: Self.key, condition, status: 400, reason: "00fc13adff785122b4ad")
        #expect(foreign?.reason == (status == nil ? nil : "other"))
    }

    // MARK: Settings

    private static let secret = "whsec_" + Data(repeating: 5, count: 32).base64EncodedString()

    private static func target(_ url: String?, _ secret: String?, allowsLoopback: Bool = true) throws
        -> OperatorWebhookTarget?
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "operators-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var settings = OperatorSettings()
        settings.webhook = url
        if let secret {
            let path = folder.appending(path: "secret").path(percentEncoded: false)
            if secret != "-" { try secret.write(toFile: path, atomically: true, encoding: .utf8) }
            settings.webhookSecretFile = path
        }
        return try OperatorWebhookTarget(settings, policy: AddressPolicy(allowsLoopback: allowsLoopback))
    }

    @Test("a webhook has a URL and a secret from a file")
    func target() throws {
        #expect(try Self.target(nil, nil) == nil)
        let target = try #require(try Self.target("https://desk.example.com/hook", Self.secret + "\n"))
        #expect(target.url == "https://desk.example.com/hook" && target.secret.key.count == 32)
    }

    @Test(
        "one without the other, or one that cannot be used, is an error that shows neither",
        arguments: [
            (nil, Self.secret, true, "operators.webhookSecretFile"),
            ("https://h.example/private-path", nil, true, "needs"),
            ("https://h.example/private-path", "-", true, "cannot be read"),
            ("https://h.example/private-path", "whsec_c2hvcnQ=", true, "whsec_ and 24 to 64 bytes"),
            ("http://h.example/private-path", Self.secret, true, "operators.webhook"),
            ("https://127.0.0.1:1/private-path", Self.secret, false, "outgoing.allowLoopback"),
        ] as [(String?, String?, Bool, String)]
    )
    func wrong(url: String?, secret: String?, allowsLoopback: Bool, text: String) throws {
        let error = #expect(throws: CommandFailure.self) {
            _ = try Self.target(url, secret, allowsLoopback: allowsLoopback)
        }
        let failure = try #require(error)
        #expect(failure.status == .usage && failure.message.contains(text))
        #expect(!failure.message.contains("private-path") && !failure.message.contains("c2hvcnQ"))
    }
}
