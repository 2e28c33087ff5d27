import Foundation
import SwiftUI
import SwitchboardClient
import UIKit

/// The model of the app: who is logged in, what was written, and what is unread.
@MainActor
final class Messenger: ObservableObject {
    /// A line of the conversation.
    struct Line: Identifiable {
        let id: String
        let text: String
        let isFromConsumer: Bool
    }

    @Published private(set) var userID: String?
    @Published private(set) var lines: [Line] = []
    @Published private(set) var unread = 0
    @Published private(set) var isWindowReady = false
    @Published private(set) var target: String?
    @Published private(set) var errorText: String?
    @Published var isShowingConversation = false

    let client = SwitchboardClient(configuration: Brand.configuration, storage: Brand.storage)
    private var window: MessagingWindow?
    private var listening: Task<Void, Never>?
    private var starting: Task<Void, Never>?

    /// Continues the session of the consumer who was logged in when the app ended.
    func start() {
        starting = Task {
            await client.setCopilotTokenProvider(Backend(appSession: "the session of your own login"))
            await client.setPresenter(UserNotificationPresenter())
            if let userID = await client.boundUserID() { await login(as: userID) }
        }
    }

    /// Begins a session, asks for permission to notify, and fetches the unread count.
    func login(as userID: String) async {
        do {
            listen(to: await client.events())
            try await client.initialize(.copilot(userID: userID))
            self.userID = userID
            // The app delegate receives the device token, at every login.
            UIApplication.shared.registerForRemoteNotifications()
            unread = try await client.unreadCount()
        } catch {
            errorText = "\(error)"
        }
    }

    /// Registers the device for pushes.
    func register(_ deviceToken: Data) async {
        #if DEBUG
        let isSandbox = true
        #else
        let isSandbox = false
        #endif
        do {
            try await client.registerPush(.apns(deviceToken, isSandbox: isSandbox))
        } catch {
            errorText = "\(error)"
        }
    }

    /// Ends the session; after an error the consumer is still logged in.
    func logout() async {
        do {
            try await client.logout()
            forget()
        } catch {
            errorText = "\(error)"
        }
    }

    /// Opens the conversation at the push that the consumer tapped.
    func tapped(_ payload: PushPayload) async {
        // The tap may have started the app.
        await starting?.value
        guard let push = await client.handlePush(payload, showNotification: false) else { return }
        // The conversation opens at the message, also if the report fails.
        _ = try? await client.setPushNotificationTapped(push.id)
        isShowingConversation = userID != nil
    }

    /// Runs the messaging window; the cancellation of the task closes it.
    func converse() async {
        errorText = nil
        do {
            let opening = await client.conversationOpening()
            // In order; what the window delivers comes after it.
            lines = try await client.messages(limit: 500).map(Self.line)
            if case .message(let id) = opening { target = id } else { target = lines.last?.id }
            let window = try await client.openWindow()
            self.window = window
            while let event = await window.nextEvent() { receive(event) }
        } catch {
            errorText = "\(error)"
        }
        window = nil
        isWindowReady = false
    }

    /// Writes to the agent, in the active conversation or in a new one; returns whether the gateway has stored it.
    func send(_ text: String) async -> Bool {
        guard let window else { return false }
        do {
            let conversationID = try await client.openConversation()
            let sent = try await window.send(text, conversationID: conversationID)
            show(Line(id: sent.messageID, text: text, isFromConsumer: true))
            return true
        } catch {
            errorText = "\(error)"
            return false
        }
    }

    private func receive(_ event: WindowEvent) {
        switch event {
        case .stateChanged(let state): isWindowReady = state == .ready
        case .message(let message):
            show(Self.line(message))
            target = message.id
        case .error(let error): errorText = "\(error)"
        case .closed(let error): if let error { errorText = "\(error)" }
        case .read, .resolved, .typing: break
        }
    }

    private func listen(to events: AsyncStream<ClientEvent>) {
        listening?.cancel()
        listening = Task { [weak self] in
            for await event in events { self?.receive(event) }
        }
    }

    private func receive(_ event: ClientEvent) {
        switch event {
        case .unreadChanged(let count): unread = count
        case .sessionEnded, .consumerChanged: forget()
        case .authenticationFailed(let error), .error(_, let error), .registrationFailed(let error):
            errorText = "\(error)"
        case .notificationTapped: isShowingConversation = true
        case .connectionChanged, .tokenExpired, .registrationFinished: break
        }
    }

    private static func line(_ message: GatewayMessage) -> Line {
        Line(id: message.id, text: message.text, isFromConsumer: message.isFromConsumer)
    }

    /// Adds a line, unless it is there: the window repeats what was downloaded while it opened.
    private func show(_ line: Line) {
        if !lines.contains(where: { $0.id == line.id }) { lines.append(line) }
    }

    /// Removes what belongs to the consumer from the screen.
    private func forget() {
        userID = nil
        lines = []
        unread = 0
        target = nil
        isShowingConversation = false
    }
}
