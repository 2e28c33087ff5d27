internal import GatewayModel
internal import GatewayStorage
internal import Messaging
internal import PushPayloads

extension JSONWriter {
    /// A frame as text (`http-api.md` section 7).
    ///
    /// - Parameter frame: The frame.
    init(_ frame: ServerFrame) {
        switch frame {
        case .ready(let counts):
            self.init(capacity: 64 + counts.conversations.count * 80)
            ready(counts)
        case .message(let message):
            self.init(capacity: 512)
            self.message(message, isFrame: true)
        default:
            self.init(capacity: 160)
            small(frame)
        }
    }

    private mutating func ready(_ counts: UnreadCounts) {
        literal(#"{"type":"ready","unread":"#)
        integer(counts.total)
        literal(#","conversations":["#)
        for (index, conversation) in counts.conversations.enumerated() {
            if index > 0 { literal(",") }
            literal(#"{"id":"#)
            string(conversation.id.rawValue)
            literal(#","lastSequence":"#)
            integer(conversation.lastSequence)
            literal(#","readSequence":"#)
            integer(conversation.readSequence)
            literal("}")
        }
        literal("]}")
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
