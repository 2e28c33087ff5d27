import Foundation
import SwitchboardClient
import Testing

@Suite("Examples of the page about the device library")
struct PageExampleTests {
    // The code of the page, compiled. What only Apple's platforms have is left out there.
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

    @Test("each line of code on the page is compiled here, but for the manifest and the Keychain")
    func lines() throws {
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let page = file.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/switchboard/Documentation.docc/DeviceLibrary.md")
        let code = try String(contentsOf: file, encoding: .utf8)
        let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n```swift\n").dropFirst()
        var count = 0
        for block in blocks {
            for line in block.components(separatedBy: "\n```")[0].split(separator: "\n") {
                guard ![".package(", ".product(", "KeychainStorage("].contains(where: line.contains) else { continue }
                count += 1
                #expect(code.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
            }
        }
        #expect(count >= 16)
    }
}
