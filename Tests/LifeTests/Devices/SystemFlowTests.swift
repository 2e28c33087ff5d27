import Crypto
import Foundation
import GatewayClient
import ProcessHarness
import SwitchboardClient
import Testing

/// One flow for each of the five systems, from the login to the logout, against a running gateway and simulator.
@Suite("Flows of the five systems with the device library", .serialized, .timeLimit(.minutes(10)))
struct SystemFlowTests {
    /// The part that is the same: an agent's message, its push, the tap, the window, the logout.
    private static func converse(_ phone: Phone, _ consumer: String, pushesBefore: Int = 0) async throws {
        let id = try await phone.brand.agentWrites("hello", to: consumer)
        let message = try #require(await phone.handle(pushesBefore + 1))
        #expect(message.id == id)
        #expect(message.badge == 1)
        _ = try await phone.client.setPushNotificationTapped(message.id)
        #expect(await phone.client.conversationOpening() == .message(id))
        let opened = try await phone.openWindow()
        #expect(opened.texts == ["hello"])
        let sent = try await opened.window.send("hi", conversationID: "chat")
        #expect(sent.sequence == 2)
        try await phone.brand.fixture.wait(for: "the read mark") { try await phone.brand.unread(consumer) == 0 }
        await opened.window.close()
        try await phone.client.logout()
        let deviceless = try await phone.brand.fixture.gateway.admin.call(
            "GET",
            phone.brand.fixture.path("consumers", consumer, "devices")
        )
        #expect(deviceless.body["items"].items.isEmpty)
    }

    // MARK: Copilot.cx

    /// The app's back-end: it has the service account, and mints a key for each request.
    private final class CopilotBackEnd: CopilotTokenProvider {
        private let api: APIClient

        init(_ brand: FlowBrand) async throws {
            api = APIClient(server: brand.fixture.gateway.url, basic: try await brand.serviceAccount())
        }

        func generateUserAuthKey(for userID: String) async throws -> String {
            let path = ["v2", "api", "management", "your_own", "auth", "generate_user_auth_key"]
            let response = try await api.call("POST", path, body: ["user_id": .string(userID)])
            guard let key = response.body["auth_key"].string else {
                throw CopilotTokenError.general(debugMessage: "no key")
            }
            return key
        }
    }

    @Test("R8 R9 R18: Copilot.cx: the library asks for a key by itself", arguments: PhonePlatform.allCases)
    func copilot(platform: PhonePlatform) async throws {
        let directory = try TemporaryDirectory()
        let brand = try await FlowBrand.start(in: directory, settings: ["wire": ["copilot": true]])
        let phone = try Phone(brand, platform)
        await phone.client.setCopilotTokenProvider(try await CopilotBackEnd(brand))
        try await phone.client.initialize(.copilot(userID: "copilot-user"))
        #expect(try await phone.client.registerPush(phone.pushToken) == .registered)
        #expect(try await phone.client.unreadCount() == 0)
        try await Self.converse(phone, "copilot-user")
    }

    // MARK: CCAI Platform

    /// The brand's signing service: the gateway's, called by the app's back-end for its user.
    private final class SigningService: PayloadSigner {
        private let api: APIClient
        private let user: String

        init(_ brand: FlowBrand, _ user: String) async throws {
            api = APIClient(server: brand.fixture.gateway.url, basic: try await brand.serviceAccount())
            self.user = user
        }

        func token(_ payload: [String: DeviceJSON]) async throws -> String {
            let json = try GatewayClient.JSONValue(parsing: JSONEncoder().encode(payload))
            let response = try await api.call(
                "POST",
                ["api", "ccaip", "sign"],
                query: [("consumer", user)],
                body: ["payload": json]
            )
            return try #require(response.body["token"].string)
        }

        func signPayload(
            _ payload: [String: DeviceJSON],
            type: PayloadType,
            success: @escaping @Sendable (String) -> Void,
            failure: @escaping @Sendable (any Error) -> Void
        ) {
            Task {
                do {
                    success(try await token(payload))
                } catch {
                    failure(error)
                }
            }
        }
    }

    @Test(
        "R34 R37: CCAI Platform: the payload is signed, and exchanged by the library",
        arguments: PhonePlatform.allCases,
        ["HS256", "HS384"]
    )
    func ccai(platform: PhonePlatform, algorithm: String) async throws {
        let directory = try TemporaryDirectory()
        let brand = try await FlowBrand.start(in: directory, settings: ["wire": ["ccai": true]])
        try await brand.credential(["kind": "sdkKey", "name": "sdk", "algorithm": .string(algorithm)])
        let phone = try Phone(brand, platform)
        await phone.client.setPayloadSigner(try await SigningService(brand, "ccai-user"))
        try await phone.client.initialize(.signedPayload(sdkKeyName: "sdk"))
        #expect(try await phone.client.registerPush(phone.pushToken) == .registered)
        #expect(try await phone.client.unreadCount() == 0)
        #expect(await phone.client.consumerID == "ccai-user")
        try await Self.converse(phone, "ccai-user")
    }

    @Test("R40: a page and a device have the same sign endpoint: a token, or an error that fails the initialisation")
    func page() async throws {
        let directory = try TemporaryDirectory()
        let brand = try await FlowBrand.start(in: directory, settings: ["wire": ["ccai": true]])
        let service = try await SigningService(brand, "page-user")
        // Without a key nothing can be signed: the page's initialisation rejects, and the device's call fails.
        await #expect(throws: (any Error).self) { _ = try await service.token([:]) }
        let phone = try Phone(brand, .ios)
        await phone.client.setPayloadSigner(service)
        try await phone.client.initialize(.signedPayload(sdkKeyName: "sdk"))
        let error = await #expect(throws: SwitchboardError.self) { _ = try await phone.client.unreadCount() }
        #expect(error?.code == .general)
        try await brand.credential(["kind": "sdkKey", "name": "sdk", "algorithm": "HS256"])
        // What the page's handler gives: the token and who the user is.
        let token = try await service.token(["name": "Ann"])
        let response = try await Self.exchange(token, brand)
        #expect(response == "page-user")
        #expect(try await phone.client.unreadCount() == 0)
        #expect(await phone.client.consumerID == response)
    }

    /// Exchanges a token as a page does, and returns the end user.
    private static func exchange(_ token: String, _ brand: FlowBrand) async throws -> String? {
        let url = try #require(URL(string: brand.fixture.gateway.url + "/v1/ccaip/auth/token"))
        let response = try await URLSessionTransport().send(
            HTTPRequest(
                method: "POST",
                url: url,
                headers: ["X-SDK-Key-Name": "sdk", "Content-Type": "application/json"],
                body: Data(#"{"token":"\#(token)"}"#.utf8)
            )
        )
        return try GatewayClient.JSONValue(parsing: response.body)["end_user"]["id"].string
    }

    // MARK: LivePerson

    @Test("R41 R45 R63: LivePerson: an assertion from the login to the logout", arguments: PhonePlatform.allCases)
    func livePerson(platform: PhonePlatform) async throws {
        let directory = try TemporaryDirectory()
        let brand = try await FlowBrand.start(in: directory)
        let phone = try Phone(brand, platform)
        let events = await phone.client.events()
        try await phone.logIn("liveperson-user")
        #expect(try await phone.client.unreadCount() == 0)
        try await Self.converse(phone, "liveperson-user")
        var all: [ClientEvent] = []
        for await event in events { all.append(event) }
        #expect(all.first == .connectionChanged(isReady: true))
        #expect(all.last == .connectionChanged(isReady: false))
        #expect(all.contains(.unreadChanged(1)))
    }

    // MARK: Talkdesk

    /// The app: it gets an access token for an interaction from its back-end.
    private final class TalkdeskApp: AuthorizationDelegate {
        private let client: SwitchboardClient
        private let url: URL
        private let authorization: String

        init(_ client: SwitchboardClient, _ url: URL, _ authorization: String) {
            self.client = client
            self.url = url
            self.authorization = authorization
        }

        func shouldAuthorize() {
            Task {
                let request = HTTPRequest(method: "GET", url: url, headers: ["Authorization": authorization])
                guard let response = try? await URLSessionTransport().send(request) else { return }
                await client.authorize(with: .response(status: response.status, body: response.body))
            }
        }
    }

    /// The app whose back-end mints sessions of the gateway, for messages.
    private final class SessionApp: AuthorizationDelegate {
        private let client: SwitchboardClient
        private let gateway: GatewayProcess

        init(_ client: SwitchboardClient, _ gateway: GatewayProcess) {
            self.client = client
            self.gateway = gateway
        }

        func shouldAuthorize() {
            Task {
                guard let token = try? await gateway.session("talkdesk-user") else { return }
                await client.authorize(with: .accessToken(token))
            }
        }
    }

    @Test("R172 R173 trap 24: Talkdesk: an interaction by the broker's token, or its denial; then messages")
    func talkdesk() async throws {
        let directory = try TemporaryDirectory()
        let settings: GatewayClient.JSONValue = ["wire": ["talkdesk": true], "anonymousConsumers": true]
        let brand = try await FlowBrand.start(in: directory, settings: settings)
        let control = brand.fixture.simulator.control
        let key = P256.Signing.PrivateKey()
        let account: GatewayClient.JSONValue = [
            "clientId": "client", "keyId": "k-1", "publicKey": .string(key.publicKey.pemRepresentation),
        ]
        _ = try await APIClient(server: control).call("PUT", ["talkdesk", "clients"], body: .array([account]))
        let broker = try await brand.credential([
            "kind": "tokenBroker", "name": "talkdesk", "app": "ios", "clientId": "client", "keyId": "k-1",
            "tokenUrl": .string(control + "/talkdesk/oauth/token"), "scope": "visual-sessions:execute",
            "privateKey": .string(key.pemRepresentation),
        ])
        let secret = "\(try #require(broker["id"].string)):\(try #require(broker["secret"].string))"
        let basic = "Basic " + Data(secret.utf8).base64EncodedString()
        let access = try #require(URL(string: brand.fixture.gateway.url + "/v1/brands/acme/access/ios"))

        let phone = try Phone(brand, .ios)
        try await phone.client.initialize(.delegate)
        let app = TalkdeskApp(phone.client, access, basic)
        await phone.client.setAuthorizationDelegate(app)
        try await phone.client.startInteraction()
        // The denial of the broker reaches the interaction with its reason.
        let guest = try Phone(brand, .ios)
        try await guest.client.initialize(.delegate)
        let session = try await APIClient(server: brand.fixture.gateway.url)
            .call("POST", brand.fixture.path("sessions"), body: ["grant": "anonymous"])
        let bearer = "Bearer \(try #require(session.body["sessionToken"].string))"
        let denied = TalkdeskApp(guest.client, access, bearer)
        await guest.client.setAuthorizationDelegate(denied)
        let error = await #expect(throws: SwitchboardError.self) { try await guest.client.startInteraction() }
        #expect(error?.code == .notAuthorized)
        #expect(error?.reason == "anonymous")

        // Messages of the gateway need a session of it: another consumer, so a client of its own.
        let talker = try Phone(brand, .ios)
        try await talker.client.initialize(.delegate)
        let sessions = SessionApp(talker.client, brand.fixture.gateway)
        await talker.client.setAuthorizationDelegate(sessions)
        #expect(try await talker.client.registerPush(talker.pushToken) == .registered)
        try await Self.converse(talker, "talkdesk-user")
        // The client does not retain its delegate.
        withExtendedLifetime((app, denied, sessions)) {}
    }
}
