import Foundation

/// The pushes that this device has handled for the consumer; a pure value.
struct PushLedger: Sendable, Hashable, Codable {
    /// The most repetitions that are recognised.
    static let maxHandled = 128
    /// The most conversations whose read marks are kept.
    static let maxMarks = 64

    /// A push that was handled.
    private struct Handled: Sendable, Hashable, Codable {
        var identity: String
        var messageID: String?
        var at: Date
    }

    /// The handled pushes, oldest first.
    private var handled: [Handled] = []
    private var marks: [PushMessage.ReadMark] = []

    /// The effect of a push that is new.
    struct Effect: Sendable, Equatable {
        /// Whether the push is shown if the app wants so.
        var isShown = false
        /// The new unread count; nil leaves it.
        var unread: Int?
        /// The notifications to remove; nil for none.
        var withdrawal: PushWithdrawal?
    }

    /// Handles a push; nil for a repetition, which has no effect.
    ///
    /// - Parameters:
    ///   - message: The push.
    ///   - receives: The kinds that this device is still registered for.
    ///   - now: The time of the delivery.
    /// - Returns: The effect.
    mutating func handle(_ message: PushMessage, receives: PushKinds, at now: Date) -> Effect? {
        if let identity = message.identity {
            guard !handled.contains(where: { $0.identity.utf8.elementsEqual(identity.utf8) }) else { return nil }
            handled.append(Handled(identity: identity, messageID: message.id, at: now))
            if handled.count > Self.maxHandled { handled.removeFirst() }
        }
        var effect = Effect()
        let wasRead = isRead(message)
        switch message.kind {
        case .silent, .selfCheck: return effect
        case .agent: effect.isShown = receives.contains(.agent) && message.isVisible && !wasRead
        case .proactive, .c2m: effect.isShown = receives.contains(.proactive) && message.isVisible
        case .badge: break
        }
        // The count is the gateway's: it is taken as it is and never added to. A device without agents' pushes shows
        // none. The count of a message that was read meanwhile is of the time before.
        if receives.contains(.agent), message.dialect != .bloomreach, !wasRead { effect.unread = message.badge }
        for mark in message.read { note(mark) }
        let withdrawal = PushWithdrawal(marks: message.read, unread: message.badge)
        if message.kind == .badge, !withdrawal.isEmpty { effect.withdrawal = withdrawal }
        return effect
    }

    /// Returns the time at which the push of a message was handled; nil if it was not.
    func deliveredAt(_ messageID: String) -> Date? {
        handled.last { $0.messageID?.utf8.elementsEqual(messageID.utf8) ?? false }?.at
    }

    /// Notes that messages were read, here or elsewhere.
    mutating func note(_ mark: PushMessage.ReadMark) {
        var mark = mark
        mark.messageIDs = []
        if let index = marks.firstIndex(where: { $0.conversationID.utf8.elementsEqual(mark.conversationID.utf8) }) {
            mark.upToSequence = max(mark.upToSequence, marks[index].upToSequence)
            marks.remove(at: index)
        }
        marks.append(mark)
        if marks.count > Self.maxMarks { marks.removeFirst() }
    }

    /// Whether the message of a push was read before the push arrived.
    private func isRead(_ message: PushMessage) -> Bool {
        guard let conversation = message.conversationID, let sequence = message.sequence else { return false }
        return marks.contains {
            $0.conversationID.utf8.elementsEqual(conversation.utf8) && sequence <= $0.upToSequence
        }
    }
}

/// The tap that the next opening of the conversation follows; a pure value.
struct TapState: Sendable, Equatable {
    private var target: ScrollTarget?

    /// The consumer tapped a push; without an id only the scroll position follows.
    mutating func tapped(_ messageID: String?) { target = messageID.map { .message($0) } ?? .firstUnread }

    /// Returns the position for one opening, and forgets it.
    mutating func opening() -> ScrollTarget {
        defer { target = nil }
        return target ?? .latest
    }
}

/// The position at which a conversation opens.
public enum ScrollTarget: Sendable, Hashable {
    /// The newest message.
    case latest
    /// The first message that was not read: a push without an id was tapped.
    case firstUnread
    /// The message of the push that was tapped.
    case message(String)
}
