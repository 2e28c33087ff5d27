import Foundation
import SwitchboardClient

/// The device's screen and keyboard: it prints what happens, and executes commands one after the other.
actor Terminal {
    private let client: SwitchboardClient
    private var window: MessagingWindow?
    private var reading: Task<Void, Never>?
    /// The conversation in which lines are sent: that of the last message or push.
    private var conversation: String?
    private var lastPush: String?

    init(client: SwitchboardClient) { self.client = client }

    /// Executes lines until the last one, or `/quit`.
    func run(_ lines: AsyncStream<String>) async {
        say("ready; \(TerminalCommand.list)")
        for await line in lines {
            guard let command = TerminalCommand(line) else { continue }
            if command == .quit { break }
            do {
                try await execute(command)
            } catch {
                say("error: \(error)")
            }
        }
        await window?.close()
        await reading?.value
        await client.finishPendingWork()
    }

    private func execute(_ command: TerminalCommand) async throws {
        switch command {
        case .write(let text): try await write(text)
        case .open: try await open()
        case .close:
            await window?.close()
            window = nil
        case .typing: if let conversation { await window?.typing(conversationID: conversation) }
        case .unread:
            let count = try await client.unreadCount()
            say("unread: \(count)")
        case .resolve: if let conversation { try await client.resolveConversation(conversation) }
        case .tap(let id):
            let result = try await client.setPushNotificationTapped(id ?? lastPush)
            if let tapped = result?.conversationID { conversation = tapped }
            say("tapped: \(result?.kind.rawValue ?? "nothing")")
        case .logout:
            window = nil
            conversation = nil
            try await client.logout()
            say("logged out")
        case .help, .unknown, .quit: say(TerminalCommand.list)
        }
    }

    private func open() async throws {
        await window?.close()
        let opened = try await client.openWindow()
        window = opened
        reading = Task { await read(opened) }
    }

    private func read(_ opened: MessagingWindow) async {
        while let event = await opened.nextEvent() {
            if case .message(let message) = event, let id = message.conversationID { conversation = id }
            say(Self.text(event))
        }
    }

    private func write(_ text: String) async throws {
        guard let window else { return say("the window is closed: /open") }
        let target: String
        if let conversation { target = conversation } else { target = try await client.openConversation() }
        conversation = target
        let stored = try await window.send(text, conversationID: target)
        say("sent: \(target)#\(stored.sequence)")
    }

    // MARK: Output

    /// Prints a line at once.
    func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    /// Prints an event of the client.
    func show(_ event: ClientEvent) {
        switch event {
        case .connectionChanged(let isReady): say(isReady ? "logged in" : "not logged in")
        case .unreadChanged(let count): say("unread: \(count)")
        case .tokenExpired: say("the credential has expired: start again with a fresh one")
        case .authenticationFailed(let error), .error(_, let error), .registrationFailed(let error):
            say("error: \(error)")
        case .sessionEnded(let cause): say("the session has ended: \(cause.rawValue)")
        case .registrationFinished, .notificationTapped, .consumerChanged: break
        }
    }

    /// Prints a push.
    func show(_ push: PushMessage) {
        if push.isVisible {
            lastPush = push.id
            if let id = push.conversationID { conversation = id }
        }
        let sender = push.nickname ?? push.title ?? push.kind.rawValue
        say("push \(push.id ?? "-"): \(sender): \(push.text ?? "") [badge \(push.badge.map { String($0) } ?? "-")]")
    }

    private static func text(_ event: WindowEvent) -> String {
        switch event {
        case .stateChanged(let state): "window: \(state.rawValue)"
        case .message(let message):
            "\(message.isFromConsumer ? "me" : message.nickname ?? "agent"): \(message.text)"
                + (message.isTruncated ? " [shortened]" : "")
        case .read(let conversation, let sequence, let unread): "read: \(conversation)#\(sequence), unread \(unread)"
        case .resolved(let conversation, _): "resolved: \(conversation)"
        case .typing(_, let byConsumer): byConsumer ? "(typing elsewhere)" : "(the agent types)"
        case .error(let error): "error: \(error)"
        case .closed(let error): "window closed" + (error.map { ": \($0)" } ?? "")
        }
    }
}
