import Foundation
import GatewayClient
import ProcessHarness
import SwitchboardClient
import Testing

/// Bloomreach's flow with the device library, against a running gateway and simulator.
@Suite("Bloomreach's flow with the device library", .serialized, .timeLimit(.minutes(10)))
struct BloomreachFlowTests {
    private static let customer = "bloomreach-user"

    /// The app's way to its back-end, which mints customer tokens for its user.
    private struct Provider: AuthorizationProvider {
        let brand: FlowBrand

        func getAuthorizationToken() async throws -> String? {
            let path = brand.fixture.path("consumers", customer, "customer-tokens")
            return try await brand.fixture.gateway.admin.call("POST", path, body: [:]).body["token"].string
        }
    }

    private static func start(in directory: TemporaryDirectory) async throws -> (brand: FlowBrand, key: String) {
        let settings: GatewayClient.JSONValue = [
            "wire": ["bloomreach": true],
            "consentCategories": [["id": "newsletter", "translations": ["en": ["name": "News"]]]],
        ]
        let brand = try await FlowBrand.start(in: directory, settings: settings)
        try await brand.credential(["kind": "customerTokenKey", "name": "app"])
        let key = try await brand.credential(["kind": "apiKey", "name": "app"])["secret"].string
        return (brand, try #require(key))
    }

    private static func phone(_ brand: FlowBrand, _ platform: PhonePlatform, key: String) throws -> Phone {
        try Phone(brand, platform) { configuration in
            var bloomreach = BloomreachConfiguration(
                authorizationToken: key,
                advancedAuthEnabled: true,
                provider: .instance { Provider(brand: brand) }
            )
            bloomreach.applicationID = platform.rawValue
            configuration.bloomreach = bloomreach
            configuration.dialects = [.switchboard, .bloomreach]
        }
    }

    private static func devices(_ brand: FlowBrand) async throws -> Int {
        let path = brand.fixture.path("consumers", customer, "devices")
        return try await brand.fixture.gateway.admin.call("GET", path).body["items"].items.count
    }

    @Test(
        "R155 R156 R157 R165: customer, token, inbox, consent, a campaign's push, and anonymize",
        arguments: PhonePlatform.allCases
    )
    func flow(platform: PhonePlatform) async throws {
        let directory = try TemporaryDirectory()
        let (brand, key) = try await Self.start(in: directory)
        let phone = try Self.phone(brand, platform, key: key)
        let admin = brand.fixture.gateway.admin
        try await phone.client.initialize(.none)
        #expect(try await phone.client.registerPush(phone.pushToken) == .deferred)
        try await phone.client.identifyCustomer(Self.customer, properties: ["plan": "gold"])
        try await phone.client.track("purchase", properties: ["price": 9.5])
        try await phone.client.flushEvents()
        #expect(await phone.client.pendingEventCount == 0)
        #expect(try await Self.devices(brand) == 1)

        let item: GatewayClient.JSONValue = ["type": "html", "content": ["title": "Welcome"]]
        _ = try await admin.call("PUT", brand.fixture.path("consumers", Self.customer, "inbox", "i-1"), body: item)
        let first = try #require(try await phone.client.fetchAppInbox().first)
        #expect(first.id == "i-1")
        #expect(first.kind == .html)
        try await phone.client.markAppInboxRead(first)
        #expect(try await phone.client.fetchAppInbox().map(\.isRead) == [true])

        #expect(try await phone.client.consentCategories().map(\.id) == ["newsletter"])
        try await phone.client.setConsent("newsletter", isGiven: true)
        try await phone.client.flushEvents()
        let consents = try await admin.call("GET", brand.fixture.path("consumers", Self.customer, "consents"))
        #expect(consents.body["consents"].items.count == 1)

        try await brand.brandWrites("an offer", to: Self.customer)
        let message = try #require(await phone.handle(1))
        #expect(message.kind == .proactive)
        #expect(message.text == "an offer")

        try await phone.client.anonymize()
        await phone.client.finishPendingWork()
        #expect(try await Self.devices(brand) == 0)
        // The back-end's token is the first customer's.
        let error = await #expect(throws: SwitchboardError.self) { _ = try await phone.client.fetchAppInbox() }
        #expect(error?.code == .forbidden)
    }

    @Test("R164: a self-check sees its silent push", arguments: PhonePlatform.allCases)
    func selfCheck(platform: PhonePlatform) async throws {
        let directory = try TemporaryDirectory()
        let (brand, key) = try await Self.start(in: directory)
        let phone = try Self.phone(brand, platform, key: key)
        try await phone.client.initialize(.none)
        try await phone.client.registerPush(phone.pushToken)
        async let running = phone.client.selfCheckPush()
        let push = try #require(await phone.handle(1))
        #expect(push.kind == .selfCheck)
        let result = try await running
        #expect(result.failedStep == nil, "\(String(describing: result.error))")
    }
}
