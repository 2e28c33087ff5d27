import Crypto
import CryptoExtras
import Foundation
import GatewayClient
import ProcessHarness
import SwitchboardClient
import Testing

/// The flows of LivePerson's document, a test for each step, on both platforms, against a running gateway.
@Suite("LivePerson's flows with the device library", .serialized, .timeLimit(.minutes(10)))
struct LivePersonFlowTests {
    private static let consumer = "flow-consumer"

    private let directory: TemporaryDirectory
    private let brand: FlowBrand

    init() async throws {
        directory = try TemporaryDirectory()
        brand = try await FlowBrand.start(
            in: directory,
            settings: [
                "engagements": [
                    ["id": "e-sales", "campaignId": "ca-1", "entryPoints": ["sec://sales"], "skill": "sales"]
                ]
            ]
        )
    }

    // MARK: The user logs in

    @Test("R41 R44 R76: initialise: the app subscribes first, and nothing is sent", arguments: PhonePlatform.allCases)
    func initialise(platform: PhonePlatform) async throws {
        let phone = try Phone(brand, platform)
        _ = await phone.client.events()
        let result = try await phone.client.initialize(.parameters(.init(jwt: try brand.jwt(Self.consumer))))
        #expect(!result.wasActive && !result.wasUpgraded)
        #expect(await !phone.client.isReady)
        let known = try await brand.fixture.gateway.admin.exchange(
            "GET",
            brand.fixture.path("consumers", Self.consumer)
        )
        #expect(known.status == 404)
    }

    /// Encrypts an assertion for the gateway, as LivePerson's document asks for (RFC 7516).
    private static func encrypted(_ jwt: String, for credential: GatewayClient.JSONValue) throws -> String {
        let theirs = try _RSA.Encryption.PublicKey(pemRepresentation: try #require(credential["publicKey"].string))
        let key = SymmetricKey(size: .bits256)
        let wrapped = try theirs.encrypt(key.withUnsafeBytes { Data($0) }, padding: .PKCS1_OAEP_SHA256)
        let header = FlowBrand.base64URL(Data(#"{"alg":"RSA-OAEP-256","enc":"A256GCM","cty":"JWT"}"#.utf8))
        let box = try AES.GCM.seal(Data(jwt.utf8), using: key, authenticating: Data(header.utf8))
        let parts = [wrapped, Data(box.nonce), box.ciphertext, box.tag].map { FlowBrand.base64URL($0) }
        return ([header] + parts).joined(separator: ".")
    }

    @Test(
        "R48 R49 R62: an assertion with RS256, as it is or in a JWE, logs in",
        arguments: PhonePlatform.allCases,
        [false, true]
    )
    func assertion(platform: PhonePlatform, isEncrypted: Bool) async throws {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let issuer = "https://rsa.example/"
        try await brand.credential([
            "kind": "jwtIssuer", "name": "rsa", "issuer": .string(issuer), "issuerDisplayName": "RSA",
            "algorithm": "RS256", "publicKey": .string(key.publicKey.pemRepresentation),
        ])
        var token = try FlowBrand.jwt("RS256", issuer, Self.consumer) { text in
            try key.signature(for: text, padding: .insecurePKCS1v1_5).rawRepresentation
        }
        if isEncrypted {
            let opening = try await brand.credential(["kind": "jweKey", "name": "jwe", "algorithm": "RSA-OAEP-256"])
            token = try Self.encrypted(token, for: opening)
        }
        let phone = try Phone(brand, platform)
        try await phone.client.initialize(.parameters(.init(jwt: token, issuerDisplayName: "RSA")))
        #expect(try await phone.client.registerPush(phone.pushToken) == .registered)
        #expect(await phone.client.consumerID == Self.consumer)
        try await brand.agentWrites("hello", to: Self.consumer)
        let message = try #require(await phone.handle(1))
        #expect(message.text == "hello")
        try await phone.client.logout()
    }

    @Test(
        "R62 R69 R73 R77: register: the result is reported, and the device gets pushes",
        arguments: PhonePlatform.allCases
    )
    func register(platform: PhonePlatform) async throws {
        let phone = try Phone(brand, platform)
        let events = await phone.client.events()
        try await phone.client.initialize(.none)
        let parameters = AuthenticationParameters(jwt: try brand.jwt(Self.consumer))
        #expect(try await phone.client.registerPush(phone.pushToken, authentication: parameters) == .registered)
        try await Phone.wait(for: "the registration", in: events) { $0 == .registrationFinished }
        #expect(try await phone.client.isRegistered())
        try await brand.agentWrites("hello", to: Self.consumer)
        #expect(try await phone.pushes(1).count == 1)
    }

    @Test("R70 R75: without parameters the registration waits for the window", arguments: PhonePlatform.allCases)
    func registerLater(platform: PhonePlatform) async throws {
        let phone = try Phone(brand, platform)
        let events = await phone.client.events()
        try await phone.client.initialize(.none)
        #expect(try await phone.client.registerPush(phone.pushToken) == .deferred)
        let opened = try await phone.openWindow(authentication: .init(jwt: try brand.jwt(Self.consumer)))
        try await Phone.wait(for: "the registration", in: events) { $0 == .registrationFinished }
        await opened.window.close()
        #expect(try await phone.client.isRegistered())
    }

    @Test(
        "R58 R61 R63 R64 trap 12: unread: registering and counting redeem one code, with PKCE",
        arguments: PhonePlatform.allCases
    )
    func unreadByCode(platform: PhonePlatform) async throws {
        let control = brand.fixture.simulator.control
        try await brand.credential([
            "kind": "identityProvider", "name": "id", "issuer": "https://id.example/", "issuerDisplayName": "Acme ID",
            "clientId": "switchboard", "clientSecret": "simulator secret", "redirectUris": ["https://app.example/back"],
            "pkce": "required", "algorithm": "RS256", "clientAuth": "basic",
            "jwksUrl": .string(control + "/identity-provider/jwks"),
            "tokenEndpoint": .string(control + "/identity-provider/token"),
        ])
        let phone = try Phone(brand, platform)
        try await phone.client.initialize(.none)
        let pkce = try await phone.client.getPkceParams(accountID: "acme")
        #expect(try await phone.client.getPkceParams(accountID: "acme") == pkce)
        // The login page of the brand gives one code for the challenge.
        let code: GatewayClient.JSONValue = [
            "code": "code-1", "redirectUri": "https://app.example/back", "clientId": "switchboard",
            "codeChallenge": .string(pkce.codeChallenge),
            "claims": ["sub": .string(Self.consumer), "iss": "https://id.example/"],
        ]
        _ = try await APIClient(server: control).call("PUT", ["identity-provider", "codes"], body: .array([code]))
        let parameters = AuthenticationParameters(
            code: "code-1",
            redirectURI: "https://app.example/back",
            codeVerifier: pkce.codeVerifier,
            issuerDisplayName: "Acme ID"
        )
        #expect(try await phone.client.registerPush(phone.pushToken, authentication: parameters) == .registered)
        #expect(try await phone.client.unreadCount(authentication: parameters) == 0)
        #expect(await phone.client.consumerID == Self.consumer)
        // The window needs a fresh one.
        await #expect(throws: SwitchboardError.self) { _ = try await phone.client.openWindow() }
    }

    @Test("R54 R55 R56: an expired token is one event, and a reconnect clears it", arguments: PhonePlatform.allCases)
    func expired(platform: PhonePlatform) async throws {
        let phone = try Phone(brand, platform)
        let events = await phone.client.events()
        try await phone.client.initialize(.parameters(.init(jwt: try brand.jwt(Self.consumer, expiresIn: -120))))
        let error = await #expect(throws: SwitchboardError.self) { _ = try await phone.client.unreadCount() }
        #expect(error?.code == .tokenExpired)
        try await Phone.wait(for: "an event of the login", in: events) { event in
            if case .authenticationFailed = event { Issue.record("authentication failed") }
            return event == .tokenExpired
        }
        try await phone.client.reconnect(.init(jwt: try brand.jwt(Self.consumer)))
        #expect(try await phone.client.unreadCount() == 0)
        #expect(await phone.client.isReady)
    }

    @Test(
        "R55 R56 R57: an invalid token is the platform's event; a reconnect clears it",
        arguments: PhonePlatform.allCases
    )
    func invalid(platform: PhonePlatform) async throws {
        let phone = try Phone(brand, platform)
        let events = await phone.client.events()
        let forged = try brand.jwt(Self.consumer, key: P256.Signing.PrivateKey())
        try await phone.client.initialize(.parameters(.init(jwt: forged)))
        let error = await #expect(throws: SwitchboardError.self) { _ = try await phone.client.unreadCount() }
        #expect(error?.code == .authenticationFailed)
        #expect(error?.reason == "bad_signature")
        try await Phone.wait(for: "an event of the login", in: events) { event in
            switch event {
            case .authenticationFailed: platform == .ios
            case .error(.identityProvider, _): platform == .android
            default: false
            }
        }
        try await phone.client.reconnect(.init(jwt: try brand.jwt(Self.consumer)))
        #expect(try await phone.client.unreadCount() == 0)
    }

    // MARK: The agent writes

    @Test(
        "R90 R93 R101 R105: a push while the window is closed, with a running badge",
        arguments: PhonePlatform.allCases
    )
    func background(platform: PhonePlatform) async throws {
        let phone = try Phone(brand, platform)
        try await phone.logIn(Self.consumer)
        #expect(try await phone.client.unreadCount() == 0)
        try await brand.agentWrites("first", to: Self.consumer)
        _ = try await phone.pushes(1)
        try await brand.agentWrites("second", to: Self.consumer)
        let message = try #require(await phone.handle(2))
        #expect(message.text == "second")
        #expect(message.nickname == "Dana")
        #expect(message.badge == 2)
        #expect(await phone.client.lastUnreadCount == 2)
        #expect(try await phone.client.unreadCount() == 2)
    }

    @Test("R105 R106 R200: in the foreground the banner, or the app's own view", arguments: PhonePlatform.allCases)
    func foreground(platform: PhonePlatform) async throws {
        let phone = try Phone(brand, platform)
        let screen = PhoneScreen()
        await phone.client.setPresenter(screen)
        try await phone.logIn(Self.consumer)
        try await brand.agentWrites("shown", to: Self.consumer)
        try await phone.handle(1, showNotification: true)
        // The same push by another method of the system.
        try await phone.handle(1, showNotification: true)
        #expect(await screen.shown.map(\.text) == ["shown"])
        #expect(await screen.badge == 1)
        let own = PhoneScreen()
        await phone.client.setBannerHandler { message in await own.show(message) }
        try await brand.agentWrites("own", to: Self.consumer)
        try await phone.handle(2, showNotification: true)
        #expect(await screen.shown.count == 1)
        #expect(await own.shown.map(\.text) == ["own"])
    }

    @Test(
        "R97 R98 R99: an open window gets the message; closed at once, the next is a push",
        arguments: PhonePlatform.allCases
    )
    func presence(platform: PhonePlatform) async throws {
        let phone = try Phone(brand, platform)
        try await phone.logIn(Self.consumer)
        let opened = try await phone.openWindow()
        try await brand.agentWrites("in the window", to: Self.consumer)
        var text: String?
        while text == nil, let event = await opened.window.nextEvent() {
            if case .message(let message) = event { text = message.text }
        }
        #expect(text == "in the window")
        try await brand.fixture.wait(for: "the read mark") { try await brand.unread(Self.consumer) == 0 }
        await opened.window.close()
        try await brand.agentWrites("as a push", to: Self.consumer)
        let message = try #require(await phone.handle(1))
        #expect(message.text == "as a push")
        #expect(message.badge == 1)
    }

    // MARK: The user taps

    @Test(
        "R88 R96 R107 R108 R111: a tap: the id, the report, the opening at the message; unread falls with the window",
        arguments: PhonePlatform.allCases
    )
    func tap(platform: PhonePlatform) async throws {
        let phone = try Phone(brand, platform)
        try await phone.logIn(Self.consumer)
        let id = try await brand.agentWrites("tapped", to: Self.consumer)
        let payload = try #require(try await phone.pushes(1).first)
        #expect(phone.client.isFromThisSystem(payload))
        #expect(phone.client.getPushMessageId(payload) == id)
        await phone.client.handlePush(payload, showNotification: false)
        let result = try #require(try await phone.client.setPushNotificationTapped(id))
        #expect(result.kind == .agent)
        #expect(result.conversationID == "chat")
        #expect(await phone.client.conversationOpening() == .message(id))
        #expect(await phone.client.conversationOpening() == .latest)
        #expect(await phone.client.lastUnreadCount == 1)
        let opened = try await phone.openWindow()
        #expect(opened.texts == ["tapped"])
        try await brand.fixture.wait(for: "the read mark") { await phone.client.lastUnreadCount == 0 }
        await opened.window.close()
    }

    @Test("R109 R113 R115: a proactive push, and the message behind its tap", arguments: PhonePlatform.allCases)
    func proactive(platform: PhonePlatform) async throws {
        let phone = try Phone(brand, platform)
        try await phone.logIn(Self.consumer)
        let id = try await brand.brandWrites("an offer", to: Self.consumer)
        let message = try #require(await phone.handle(1))
        #expect(message.kind == .proactive)
        #expect(message.id == id)
        #expect(try await phone.client.pendingProactiveMessages().map(\.id) == [id])
        let result = try #require(try await phone.client.setPushNotificationTapped(id))
        #expect(result.kind == .proactive)
        #expect(result.message?.text == "an offer")
    }

    // MARK: The conversation

    @Test("R116 R119 R120 R121: an engagement routes the next conversation", arguments: PhonePlatform.allCases)
    func engagement(platform: PhonePlatform) async throws {
        let phone = try Phone(brand, platform) { $0.monitoring = MonitoringParameters(appInstallID: "install") }
        try await phone.client.initialize(.parameters(.init(jwt: try brand.jwt(Self.consumer))))
        #expect(try await phone.client.getEngagement(entryPoints: ["sec://other"]).details == nil)
        let offer = try await phone.client.getEngagement(entryPoints: ["sec://sales"])
        #expect(offer.details?.skill == "sales")
        #expect(offer.details?.isInConversation == false)
        let conversation = try await phone.client.openConversation()
        let again = try await phone.client.getEngagement(entryPoints: ["sec://sales"])
        #expect(again.activeConversationID == conversation)
        #expect(again.details?.isInConversation == true)
    }

    @Test("R121 R122: the consumer writes, and resolves the conversation once", arguments: PhonePlatform.allCases)
    func conversation(platform: PhonePlatform) async throws {
        let phone = try Phone(brand, platform)
        try await phone.logIn(Self.consumer)
        let conversation = try await phone.client.openConversation()
        let opened = try await phone.openWindow()
        let sent = try await opened.window.send("hello", conversationID: conversation)
        #expect(sent.sequence == 1)
        await opened.window.close()
        try await phone.client.resolveConversation(conversation)
        let error = await #expect(throws: SwitchboardError.self) {
            try await phone.client.resolveConversation(conversation)
        }
        #expect(error?.code == .conflict)
    }

    // MARK: The user logs out

    @Test(
        "R79 R80 R82 R86: a logout of everything: no push, and nothing for the next user",
        arguments: PhonePlatform.allCases
    )
    func logout(platform: PhonePlatform) async throws {
        let storage = MemoryStorage()
        let phone = try Phone(brand, platform, storage: storage)
        let screen = PhoneScreen()
        await phone.client.setPresenter(screen)
        try await phone.logIn(Self.consumer)
        try await brand.agentWrites("before", to: Self.consumer)
        try await phone.handle(1, showNotification: true)
        try await phone.client.logout()
        try await phone.client.logout()
        #expect(await screen.isCleared)
        #expect(await screen.badge == 0)
        let record = storage.load().map { String(decoding: $0, as: UTF8.self) } ?? ""
        #expect(!record.contains(Self.consumer))
        #expect(!record.contains("session"))
        try await phone.logIn("second-consumer")
        try await brand.agentWrites("not for the second", to: Self.consumer)
        try await brand.agentWrites("for the second", to: "second-consumer")
        let message = try #require(await phone.handle(2))
        #expect(message.text == "for the second")
        #expect(message.badge == 1)
        #expect(try await phone.client.unreadCount() == 1)
    }

    @Test("R80 R81 trap 13: a logout of agents' pushes: proactive ones still arrive", arguments: PhonePlatform.allCases)
    func logoutAgent(platform: PhonePlatform) async throws {
        let phone = try Phone(brand, platform)
        try await phone.logIn(Self.consumer)
        try await phone.client.logout(.agent)
        try await brand.agentWrites("no push", to: Self.consumer)
        try await brand.brandWrites("a push", to: Self.consumer)
        let payloads = try await phone.pushes(1)
        #expect(payloads.compactMap { phone.client.parse($0)?.text } == ["a push"])
        #expect(try await brand.unread(Self.consumer) == 1)
    }

    @Test(
        "R84 R85: a session that the brand ends is one event, and wipes the device",
        arguments: PhonePlatform.allCases
    )
    func remoteLogout(platform: PhonePlatform) async throws {
        let phone = try Phone(brand, platform)
        try await phone.logIn(Self.consumer)
        let events = await phone.client.events()
        let opened = try await phone.openWindow()
        let path = brand.fixture.path("consumers", Self.consumer, "sessions")
        _ = try await brand.fixture.gateway.admin.call("DELETE", path)
        try await Phone.wait(for: "the end of the session", in: events) { $0 == .sessionEnded(.remote) }
        await opened.window.close()
        let error = await #expect(throws: SwitchboardError.self) { _ = try await phone.client.unreadCount() }
        #expect(error?.code == .notInitialized)
        #expect(await phone.client.boundUserID() == nil)
    }
}
