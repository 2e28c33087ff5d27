internal import GatewayModel
internal import GatewayStorage
internal import Messaging
internal import PushPayloads
internal import TextFormats

extension JSONWriter {
    /// Creates a frame as text, at most ``WindowLimits/maxMessageBytes`` (MessagingWindow page).
    ///
    /// `ready` and `message` are cut to fit; the other frames are always far smaller.
    init(_ frame: ServerFrame) {
        switch frame {
        case .ready(let counts):
            self.init(capacity: 64 + counts.conversations.count * 80)
            ready(counts)
        case .message(let message):
            self.init(message: message)
        default:
            self.init(capacity: 160)
            small(frame)
        }
    }

    /// Returns the counts, with only as many conversations, the first ones, as a `ready` frame has room for.
    static func fitting(_ counts: UnreadCounts) -> UnreadCounts {
        // The text around the conversations is shorter than this.
        let room = WindowLimits.maxMessageBytes - 128
        var writer = JSONWriter(capacity: WindowLimits.maxMessageBytes)
        var named = 0
        for conversation in counts.conversations {
            writer.positions(conversation)
            writer.literal(",")
            guard writer.bytes.count <= room else { break }
            named += 1
        }
        guard named < counts.conversations.count else { return counts }
        return UnreadCounts(
            total: counts.total,
            conversations: Array(counts.conversations.prefix(named)),
            hasMore: true
        )
    }

    /// A message that is too long first loses its data; a text that is cut ends with an ellipsis.
    private init(message: Message) {
        self.init(capacity: 512)
        self.message(message, isFrame: true)
        let limit = WindowLimits.maxMessageBytes
        guard bytes.count > limit else { return }
        self = JSONWriter(capacity: limit)
        self.message(message, isFrame: true, shortenedTo: message.text[...])
        guard bytes.count > limit else { return }
        let rest = bytes.count - message.text.utf8.reduce(0) { $0 + Self.escapedCount($1) }
        let part = TextFitting.prefix(of: message.text, escapedBytes: limit - rest)
        self = JSONWriter(capacity: limit)
        self.message(message, isFrame: true, shortenedTo: part)
    }

    private mutating func positions(_ conversation: ConversationUnread) {
        literal(#"{"id":"#)
        string(conversation.id.rawValue)
        literal(#","lastSequence":"#)
        integer(conversation.lastSequence)
        literal(#","readSequence":"#)
        integer(conversation.readSequence)
        literal("}")
    }

    private mutating func ready(_ counts: UnreadCounts) {
        literal(#"{"type":"ready","unread":"#)
        integer(counts.total)
        literal(#","conversations":["#)
        for conversation in counts.conversations {
            separate()
            positions(conversation)
        }
        if counts.hasMore { literal(#"],"more":true}"#) } else { literal("]}") }
    }

    private mutating func small(_ frame: ServerFrame) {
        switch frame {
        case .ready, .message: break
        case .read(let conversation, let sequence, let unread):
            literal(#"{"type":"read","conversation":"#)
            string(conversation.rawValue)
            literal(#","upToSequence":"#)
            integer(sequence)
            literal(#","unread":"#)
            integer(unread)
        case .resolved(let conversation, let byConsumer):
            literal(#"{"type":"resolved","conversation":"#)
            string(conversation.rawValue)
            literal(#","by":"#)
            string(byConsumer ? "consumer" : "agent")
        case .typing(let conversation, let byConsumer):
            literal(#"{"type":"typing","conversation":"#)
            string(conversation.rawValue)
            literal(#","by":"#)
            string(byConsumer ? "consumer" : "agent")
        case .sent(let clientID, let id, let sequence):
            literal(#"{"type":"sent","clientId":"#)
            string(clientID.rawValue)
            literal(#","messageId":"#)
            identifier(orNull: id)
            literal(#","sequence":"#)
            integer(sequence)
        case .error(let error):
            literal(#"{"type":"error","code":"#)
            string(error.code.rawValue)
            literal(#","detail":"#)
            string(error.detail)
            if let ref = error.ref {
                literal(#","ref":"#)
                string(ref)
            }
        case .clock(let id, let date):
            // The request is LivePerson's ("Messaging Window API"); its pages do not show the response.
            literal(#"{"kind":"resp","reqId":"#)
            string(id)
            literal(#","code":200,"type":"GetClockResponse","body":{"currentTime":"#)
            integer(date.milliseconds)
            literal("}")
        case .tokenExpiring(let seconds):
            literal(#"{"type":"tokenExpiring","inSeconds":"#)
            integer(seconds)
        case .bye(let reason):
            literal(#"{"type":"bye","reason":"#)
            string(reason)
        }
        literal("}")
    }
}
