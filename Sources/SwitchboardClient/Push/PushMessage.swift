public import Foundation

/// A push of one of the systems, in one form for all platforms.
public struct PushMessage: Sendable, Hashable {
    /// The system whose shape the push has.
    public enum Dialect: String, Sendable, Hashable, CaseIterable {
        /// Switchboard.
        case switchboard
        /// LivePerson.
        case livePerson
        /// CCAI Platform.
        case ujet
        /// Bloomreach Engagement.
        case bloomreach
    }

    /// The kind of the push.
    public enum Kind: String, Sendable, Hashable {
        /// An agent's message.
        case agent
        /// A message that the brand starts.
        case proactive
        /// A message that invites to a conversation.
        case c2m
        /// Only a new badge, with the marks of what was read.
        case badge
        /// Nothing to show.
        case silent
        /// A test of the way from the provider to the device; it counts nowhere.
        case selfCheck
    }

    /// The mark up to which a conversation was read elsewhere.
    public struct ReadMark: Sendable, Hashable, Codable {
        /// The conversation.
        public var conversationID: String
        /// The sequence of the last message that was read.
        public var upToSequence: Int
        /// The newest messages of these.
        public var messageIDs: [String]

        /// Creates a mark.
        public init(conversationID: String, upToSequence: Int, messageIDs: [String] = []) {
            self.conversationID = conversationID
            self.upToSequence = upToSequence
            self.messageIDs = messageIDs
        }
    }

    /// A button of a push of Bloomreach.
    public struct Action: Sendable, Hashable {
        /// The text.
        public var title: String
        /// The link to open; nil opens the app.
        public var url: String?
    }

    /// The system whose shape the push has.
    public var dialect: Dialect
    /// The kind of the push.
    public var kind: Kind
    /// The push message id, for ``SwitchboardClient/setPushNotificationTapped(_:action:clearOthers:)``.
    public var id: String?
    /// The brand.
    public var brandID: String?
    /// The agent's nickname; nil if the brand hides it.
    public var nickname: String?
    /// The headline.
    public var title: String?
    /// The text.
    public var text: String?
    /// The conversation.
    public var conversationID: String?
    /// The part of the conversation.
    public var dialogID: String?
    /// The agent's id.
    public var originatorID: String?
    /// The number of the message in its conversation.
    public var sequence: Int?
    /// The unread count of the moment of sending; nil if the push says none.
    public var badge: Int?
    /// The link to open.
    public var link: String?
    /// Whether any app may claim the link.
    public var isLinkUnverified = false
    /// The event's data for the app.
    public var data: JSONValue?
    /// The number of messages that a summary stands for; 0 for a push of one message.
    public var summaryCount = 0
    /// Whether the push arrived in the consumer's quiet hours.
    public var isQuiet = false
    /// Whether the text is cut, or `data` left out, for the size.
    public var isTruncated = false
    /// Whether deliveries and taps may be tracked.
    public var hasTrackingConsent = true
    /// The time at which the campaign was sent.
    public var sentAt: Date?
    /// The buttons of a push of Bloomreach.
    public var actions: [Action] = []
    /// The parameters that events about a push of Bloomreach carry.
    var urlParameters: [String: JSONValue] = [:]
    /// The marks of what was read elsewhere.
    public var read: [ReadMark] = []

    /// Creates a message.
    init(dialect: Dialect, kind: Kind) {
        self.dialect = dialect
        self.kind = kind
    }

    /// The identifier of the notification on the screen: the push message id, or that of a summary.
    public var notificationID: String? { id.map { summaryCount > 0 ? PushWithdrawal.summaryPrefix + $0 : $0 } }

    /// Whether there is something to show.
    public var isVisible: Bool {
        switch kind {
        case .agent, .proactive, .c2m: text != nil || title != nil
        case .badge, .silent, .selfCheck: false
        }
    }

    /// The key by which a repetition is recognised; nil if the push has no identity.
    var identity: String? {
        if let id { return dialect.rawValue + ":" + id + (summaryCount > 0 ? ":\(summaryCount)" : "") }
        guard let conversationID, let sequence else { return nil }
        return "\(dialect.rawValue):\(conversationID)#\(sequence)"
    }
}

/// The notifications to remove from the screen.
public struct PushWithdrawal: Sendable, Hashable {
    /// The identifiers of notifications, see ``PushMessage/notificationID``.
    public var notificationIDs: [String]
    /// The marks: notifications of these conversations up to these sequences go too.
    public var marks: [PushMessage.ReadMark]
    /// Whether summaries go: nothing is unread.
    public var includesSummaries: Bool
    /// Whether every notification of the brand goes: the consumer has logged out.
    public var includesAll = false

    /// The beginning of a summary's identifier.
    static let summaryPrefix = "summary-"

    /// The withdrawal of everything.
    static let all = PushWithdrawal(marks: [], unread: 0, includesAll: true)

    /// Creates a withdrawal.
    ///
    /// - Parameters:
    ///   - marks: The marks of what was read.
    ///   - unread: The unread count after that, if it is known.
    ///   - includesAll: Whether every notification goes.
    init(marks: [PushMessage.ReadMark], unread: Int?, includesAll: Bool = false) {
        self.marks = marks
        notificationIDs = marks.flatMap(\.messageIDs)
        includesSummaries = unread == 0
        self.includesAll = includesAll
    }

    /// Whether there is nothing to remove.
    public var isEmpty: Bool { notificationIDs.isEmpty && marks.isEmpty && !includesSummaries && !includesAll }

    /// Whether a notification goes: by its identifier, or because the conversation of its push was read up to it.
    func includes(_ notificationID: String, of payload: PushPayload) -> Bool {
        if includesAll || (includesSummaries && notificationID.hasPrefix(Self.summaryPrefix)) { return true }
        if notificationIDs.contains(where: { $0.utf8.elementsEqual(notificationID.utf8) }) { return true }
        guard let conversation = payload.members["conversationId"]?.text,
            let sequence = payload.members["sequence"]?.integerValue
        else { return false }
        return marks.contains {
            $0.conversationID.utf8.elementsEqual(conversation.utf8) && sequence <= $0.upToSequence
        }
    }
}
