import Foundation
import SwitchboardClient
import Testing

@Suite("Examples of the pages about the device library")
struct PageExampleTests {
    // The code of the pages, compiled. What only Apple's platforms have is left out there.
    private func client(server: URL, storage: any ClientStorage) -> SwitchboardClient {
        let client = SwitchboardClient(
            configuration: ClientConfiguration(serverURL: server, brandID: "acme", appID: "ios"),
            storage: storage
        )
        return client
    }

    private func login(
        _ client: SwitchboardClient,
        assertion: String,
        deviceToken: Data,
        handle: @escaping @Sendable (ClientEvent) -> Void
    ) async throws {
        let events = await client.events()
        Task { for await event in events { handle(event) } }
        try await client.initialize(.parameters(AuthenticationParameters(jwt: assertion)))
        try await client.registerPush(.apns(deviceToken))
        let unread = try await client.unreadCount()
        _ = unread
    }

    private func background(_ client: SwitchboardClient, _ userInfo: [AnyHashable: Any]) async {
        await client.handlePush(PushPayload(userInfo: userInfo), showNotification: false)
        await client.finishPendingWork()
    }

    private func extensionOfNotifications(
        _ configuration: ClientConfiguration,
        _ storage: any ClientStorage,
        _ userInfo: [AnyHashable: Any]
    ) async {
        let helper = NotificationServiceHelper(configuration: configuration, storage: storage)
        let content = await helper.receive(PushPayload(userInfo: userInfo))
        _ = content
    }

    private func tap(
        _ client: SwitchboardClient,
        _ userInfo: [AnyHashable: Any],
        open: (ScrollTarget) -> Void
    ) async {
        guard let push = await client.handlePush(PushPayload(userInfo: userInfo), showNotification: false) else {
            return
        }
        let tap = try? await client.setPushNotificationTapped(push.id)
        open(await client.conversationOpening())
        _ = tap
    }

    private func logout(_ client: SwitchboardClient) async throws {
        try await client.logout()
    }

    private func push(_ client: SwitchboardClient, _ userInfo: [AnyHashable: Any]) async {
        let message = await client.handlePush(PushPayload(userInfo: userInfo), showNotification: false)
        _ = message
    }

    private func conversation(_ client: SwitchboardClient, show: (GatewayMessage) -> Void) async throws {
        let window = try await client.openWindow()
        while let event = await window.nextEvent() {
            if case .message(let message) = event { show(message) }
        }
    }

    // MARK: Moving an app

    private protocol BackEnd: Sendable {
        func authKey(for userID: String) async throws -> String
        func sign(_ payload: [String: JSONValue]) async throws -> String
        func access() async -> InteractionAuthorization
    }

    private struct KeyProvider: CopilotTokenProvider {
        let backEnd: any BackEnd
        func generateUserAuthKey(for userID: String) async throws -> String { try await backEnd.authKey(for: userID) }
    }

    private func copilot(_ client: SwitchboardClient, _ backEnd: any BackEnd) async throws {
        await client.setCopilotTokenProvider(KeyProvider(backEnd: backEnd))
        try await client.initialize(.copilot(userID: "u-1"))
    }

    private final class Signer: PayloadSigner {
        let backEnd: any BackEnd

        init(backEnd: any BackEnd) { self.backEnd = backEnd }

        func signPayload(
            _ payload: [String: JSONValue],
            type: PayloadType,
            success: @escaping @Sendable (String) -> Void,
            failure: @escaping @Sendable (any Error) -> Void
        ) {
            Task {
                do { success(try await backEnd.sign(payload)) } catch { failure(error) }
            }
        }
    }

    private func ccai(_ client: SwitchboardClient, _ backEnd: any BackEnd) async throws {
        await client.setPayloadSigner(Signer(backEnd: backEnd))
        try await client.initialize(.signedPayload(sdkKeyName: "mobile"))
    }

    private func livePerson(_ client: SwitchboardClient, jwt: String, code: String, redirect: String) async throws {
        try await client.initialize(.parameters(AuthenticationParameters(jwt: jwt, issuerDisplayName: "Login")))
        let pkce = try await client.getPkceParams(accountID: "acme")
        let parameters = AuthenticationParameters(code: code, redirectURI: redirect, codeVerifier: pkce.codeVerifier)
        try await client.reconnect(parameters)
        let offer = try await client.getEngagement(entryPoints: ["sec://sales", "lang://en"])
        let window = try await client.openWindow()
        _ = (offer, window)
    }

    private func settings(
        _ configuration: inout ClientConfiguration,
        key: String,
        provider: any AuthorizationProvider
    ) {
        var bloomreach = BloomreachConfiguration(
            authorizationToken: key,
            advancedAuthEnabled: true,
            provider: .instance { provider }
        )
        bloomreach.applicationID = "com.example.app"
        configuration.bloomreach = bloomreach
        configuration.dialects = [.switchboard, .bloomreach]
    }

    private func bloomreach(_ client: SwitchboardClient, _ token: PushToken) async throws {
        try await client.initialize(.none)
        try await client.registerPush(token)
        try await client.identifyCustomer("u-1", properties: ["plan": "gold"])
        try await client.track("purchase", properties: ["price": 9.5])
        let items = try await client.fetchAppInbox()
        if let first = items.first { try await client.markAppInboxRead(first) }
        let categories = try await client.consentCategories()
        try await client.setConsent("newsletter", isGiven: true)
        try await client.anonymize()
        _ = categories
    }

    private final class Authorizer: AuthorizationDelegate {
        let client: SwitchboardClient
        let backEnd: any BackEnd

        init(client: SwitchboardClient, backEnd: any BackEnd) {
            self.client = client
            self.backEnd = backEnd
        }

        func shouldAuthorize() {
            Task { await client.authorize(with: await backEnd.access()) }
        }
    }

    private func talkdesk(_ client: SwitchboardClient, _ authorizer: Authorizer) async throws {
        await client.setAuthorizationDelegate(authorizer)
        try await client.initialize(.delegate)
        try await client.startInteraction()
    }

    /// The pages, with the number of lines on each.
    private static let pages = [
        "AppFromBloomreach": 17, "AppFromCCAI": 14, "AppFromCopilot": 6, "AppFromLivePerson": 6, "AppFromTalkdesk": 8,
        "DeviceLibrary": 5, "PushInTheBackground": 4, "UserLogsIn": 8, "UserLogsOut": 1, "UserTapsAPush": 5,
    ]

    @Test("each line of Swift on the pages is compiled here, but for the manifest and the Keychain")
    func lines() throws {
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let folder = file.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/switchboard/Documentation.docc")
        let code = try String(contentsOf: file, encoding: .utf8)
        var counts: [String: Int] = [:]
        for page in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where page.pathExtension == "md" {
            let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n```swift\n")
                .dropFirst()
            for line in blocks.flatMap({ $0.components(separatedBy: "\n```")[0].split(separator: "\n") }) {
                guard ![".package(", ".product(", "KeychainStorage("].contains(where: line.contains) else { continue }
                counts[page.deletingPathExtension().lastPathComponent, default: 0] += 1
                #expect(code.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
            }
        }
        #expect(counts == Self.pages)
    }
}
