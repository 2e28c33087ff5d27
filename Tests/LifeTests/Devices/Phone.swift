import Crypto
import Foundation
import GatewayClient
import ProcessHarness
import SwitchboardClient
import SwitchboardClientLinux
import Testing

/// The platform of a phone.
enum PhonePlatform: String, CaseIterable, CustomTestStringConvertible {
    case ios
    case android

    var testDescription: String { rawValue }
    var profile: PlatformProfile { self == .ios ? .ios : .android }
}

/// The brand of the flows, at a running gateway with simulated providers.
struct FlowBrand {
    let fixture: GatewayFixture
    /// The key of the brand's login system.
    let key = P256.Signing.PrivateKey()

    static let issuer = "https://login.example/"

    /// Starts a gateway and a simulator, with an iOS app and an Android app.
    static func start(
        in directory: TemporaryDirectory,
        settings: GatewayClient.JSONValue? = nil
    ) async throws -> FlowBrand {
        let brand = FlowBrand(fixture: try await GatewayFixture.start(in: directory))
        let admin = brand.fixture.gateway.admin
        let android = try brand.fixture.simulator.androidAppBody()
        _ = try await admin.call("PUT", brand.fixture.path("apps", "android"), body: android)
        if let settings {
            _ = try await admin.call("PATCH", ["v1", "brands", "acme"], body: ["settings": settings])
        }
        try await brand.credential([
            "kind": "jwtIssuer", "name": "login", "issuer": .string(issuer), "issuerDisplayName": "Login",
            "algorithm": "ES256", "publicKey": .string(brand.key.publicKey.pemRepresentation),
        ])
        return brand
    }

    /// Creates a credential and returns the response.
    @discardableResult
    func credential(_ body: GatewayClient.JSONValue) async throws -> GatewayClient.JSONValue {
        try await fixture.gateway.admin.call("POST", fixture.path("credentials"), body: body).body
    }

    /// Creates a service account and returns `id:secret`.
    func serviceAccount() async throws -> String {
        let made = try await credential(["kind": "serviceAccount", "name": "back-end", "scopes": ["sessions:mint"]])
        return "\(try #require(made["id"].string)):\(try #require(made["secret"].string))"
    }

    /// Returns an assertion of the login system, or of another with its name.
    func jwt(_ consumer: String, expiresIn seconds: Int64 = 600, key: P256.Signing.PrivateKey? = nil) throws -> String {
        try Self.jwt("ES256", Self.issuer, consumer, expiresIn: seconds) { text in
            try (key ?? self.key).signature(for: text).rawRepresentation
        }
    }

    /// Returns an assertion that `sign` signs.
    static func jwt(
        _ algorithm: String,
        _ issuer: String,
        _ consumer: String,
        expiresIn seconds: Int64 = 600,
        sign: (Data) throws -> Data
    ) throws -> String {
        let expires = Int64(Date().timeIntervalSince1970) + seconds
        let claims: GatewayClient.JSONValue = [
            "iss": .string(issuer), "sub": .string(consumer), "iat": .integer(expires - 600), "exp": .integer(expires),
        ]
        let text = base64URL(Data(#"{"alg":"\#(algorithm)"}"#.utf8)) + "." + base64URL(Data(claims.text.utf8))
        return text + "." + base64URL(try sign(Data(text.utf8)))
    }

    /// Returns base64 with the alphabet for URLs, without padding.
    static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Writes a message of an agent, and returns its id.
    @discardableResult
    func agentWrites(_ text: String, to consumer: String, in conversation: String = "chat") async throws -> String {
        try await post([
            "id": .string(UUID().uuidString), "type": "agent.message", "consumer": .string(consumer),
            "conversation": .string(conversation), "agent": ["id": "8500.2001", "nickname": "Dana"],
            "text": .string(text),
        ])
    }

    /// Writes a proactive message, and returns its id.
    @discardableResult
    func brandWrites(_ text: String, to consumer: String) async throws -> String {
        try await post([
            "id": .string(UUID().uuidString), "type": "proactive.message", "consumer": .string(consumer),
            "kind": "proactive", "text": .string(text), "lookBackSeconds": 3600,
        ])
    }

    private func post(_ event: GatewayClient.JSONValue) async throws -> String {
        let response = try await fixture.gateway.admin.call("POST", fixture.path("events"), body: event)
        return try #require(response.body["results"].items.first?["messageId"].string, "\(response.body)")
    }

    /// Returns the unread count of a consumer at the gateway.
    func unread(_ consumer: String) async throws -> Int64? {
        let query = [("consumer", Optional(consumer))]
        return try await fixture.gateway.admin.call("GET", fixture.path("unread"), query: query).body["unread"].integer
    }
}

/// A phone with the device library.
struct Phone {
    let brand: FlowBrand
    let platform: PhonePlatform
    let client: SwitchboardClient
    let pushToken: PushToken
    /// The token as the simulator notes it.
    private let noted: String

    init(
        _ brand: FlowBrand,
        _ platform: PhonePlatform,
        storage: any ClientStorage = MemoryStorage(),
        change: (inout ClientConfiguration) -> Void = { _ in }
    ) throws {
        self.brand = brand
        self.platform = platform
        let bytes = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        let digits = bytes.map { String(format: "%02x", $0) }.joined()
        pushToken = platform == .ios ? .apns(bytes) : .fcm("phone:APA91b" + digits)
        noted = platform == .ios ? digits : "phone:APA91b" + digits
        var configuration = ClientConfiguration(
            serverURL: try #require(URL(string: brand.fixture.gateway.url)),
            brandID: "acme",
            appID: platform.rawValue,
            profile: platform.profile
        )
        change(&configuration)
        client = SwitchboardClient(
            configuration: configuration,
            storage: storage,
            windowTransport: NIOWindowTransport()
        )
    }

    /// Begins a session with an assertion, and registers for pushes.
    func logIn(_ consumer: String) async throws {
        try await client.initialize(.parameters(AuthenticationParameters(jwt: brand.jwt(consumer))))
        #expect(try await client.registerPush(pushToken) == .registered)
    }

    /// Waits until the simulator has accepted that many pushes for this phone, and returns all as the system delivers
    /// them.
    func pushes(_ count: Int) async throws -> [PushPayload] {
        let items = try await brand.fixture.simulator.pushes("\(count) for the phone") { mine($0).count >= count }
        return try mine(items).map { item in
            if platform == .ios { return PushPayload(json: Data(item["body"].text.utf8)) }
            let data = item["body"]["message"]["data"].members
            return PushPayload(data: try data.mapValues { try #require($0.string) })
        }
    }

    /// Waits for the next pushes and handles them; the count is that of all pushes since the registration.
    @discardableResult
    func handle(_ count: Int, showNotification: Bool = false) async throws -> PushMessage? {
        var last: PushMessage?
        for payload in try await pushes(count) {
            last = await client.handlePush(payload, showNotification: showNotification)
        }
        await client.finishPendingWork()
        return last
    }

    private func mine(_ items: [GatewayClient.JSONValue]) -> [GatewayClient.JSONValue] {
        items.filter { $0["token"].string == noted && $0["result"].string == "accepted" }
    }

    /// Opens the window, and waits until it is ready; returns it with the texts that came before.
    func openWindow(
        authentication: AuthenticationParameters? = nil
    ) async throws -> (window: MessagingWindow, texts: [String]) {
        let window = try await client.openWindow(authentication: authentication)
        var texts: [String] = []
        while let event = await window.nextEvent() {
            if case .message(let message) = event { texts.append(message.text) }
            if case .stateChanged(.ready) = event { return (window, texts) }
        }
        throw HarnessError("the window closed before it was ready")
    }

    /// Waits for an event of the client.
    static func wait(
        for what: String,
        in events: AsyncStream<ClientEvent>,
        until isIt: (ClientEvent) -> Bool
    ) async throws {
        for await event in events where isIt(event) { return }
        throw HarnessError("the events ended without: \(what)")
    }
}

/// A screen that notes what it shows.
actor PhoneScreen: PushPresenter {
    private(set) var shown: [PushMessage] = []
    private(set) var badge: Int?
    private(set) var isCleared = false

    func show(_ message: PushMessage) { shown.append(message) }
    func withdraw(_ withdrawal: PushWithdrawal) { if withdrawal.includesAll { isCleared = true } }
    func setBadge(_ count: Int) { badge = count }
}
