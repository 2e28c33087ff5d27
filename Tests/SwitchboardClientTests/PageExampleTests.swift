import Foundation
import SwitchboardClient
import Testing

@Suite("Examples of the page about the device library")
struct PageExampleTests {
    // The code of the page, compiled. What only Apple's platforms have is left out there.
    private func login(server: URL, assertion: String, deviceToken: Data, storage: any ClientStorage) async throws {
        let client = SwitchboardClient(
            configuration: ClientConfiguration(serverURL: server, brandID: "acme", appID: "ios"),
            storage: storage
        )
        try await client.initialize(.parameters(AuthenticationParameters(jwt: assertion)))
        try await client.registerPush(.apns(deviceToken))
        let unread = try await client.unreadCount()
        _ = unread
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
        #expect(count >= 6)
    }
}
