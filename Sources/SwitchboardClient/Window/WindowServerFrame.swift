import Foundation

/// A message of the gateway in a window (MessagingWindow page).
enum WindowServerFrame: Sendable, Equatable {
    /// The sequences of a conversation in `ready`.
    struct Counts: Sendable, Equatable {
        var id: String
        var lastSequence: Int
        var readSequence: Int
    }

    case ready(unread: Int, conversations: [Counts], hasMore: Bool)
    case message(GatewayMessage)
    case read(conversationID: String, upToSequence: Int, unread: Int)
    case resolved(conversationID: String, byConsumer: Bool)
    case typing(conversationID: String, byConsumer: Bool)
    case sent(clientID: String, SentMessage)
    case error(SwitchboardError, ref: String?)
    case tokenExpiring
    /// A type that this version does not have, or one without the members that it needs: it is skipped.
    case unknown

    /// Parses a message; nil if it is not a JSON object.
    init?(_ text: String) {
        guard text.utf8.count <= WindowClientFrame.maxBytes, let value = JSONValue(parsing: Data(text.utf8)),
            case .object = value
        else { return nil }
        self = Self.parse(value) ?? .unknown
    }

    private static func parse(_ value: JSONValue) -> WindowServerFrame? {
        let conversation = value["conversation"]?.text
        switch value["type"]?.text {
        case "ready":
            guard let unread = count(value["unread"]), case .array(let items)? = value["conversations"] else {
                return nil
            }
            let conversations = items.compactMap { item -> Counts? in
                guard let id = item["id"]?.text, let last = count(item["lastSequence"]),
                    let read = count(item["readSequence"])
                else { return nil }
                return Counts(id: id, lastSequence: last, readSequence: read)
            }
            return .ready(unread: unread, conversations: conversations, hasMore: value["more"]?.flag ?? false)
        case "message": return GatewayMessage(value).map { .message($0) }
        case "read":
            guard let conversation, let upTo = count(value["upToSequence"]), let unread = count(value["unread"]) else {
                return nil
            }
            return .read(conversationID: conversation, upToSequence: upTo, unread: unread)
        case "resolved": return conversation.map { .resolved(conversationID: $0, byConsumer: isByConsumer(value)) }
        case "typing": return conversation.map { .typing(conversationID: $0, byConsumer: isByConsumer(value)) }
        case "sent":
            guard let client = value["clientId"]?.text, let id = value["messageId"]?.text,
                let sequence = count(value["sequence"])
            else { return nil }
            return .sent(clientID: client, SentMessage(messageID: id, sequence: sequence))
        case "error":
            let code = value["code"]?.text.flatMap { HTTPResponse.codes[$0] } ?? .general
            let error = SwitchboardError(code, value["detail"]?.text ?? "the gateway reported an error")
            return .error(error, ref: value["ref"]?.text)
        case "tokenExpiring": return .tokenExpiring
        default: return nil
        }
    }

    private static func count(_ value: JSONValue?) -> Int? { value?.integerValue.flatMap { $0 >= 0 ? $0 : nil } }

    private static func isByConsumer(_ value: JSONValue) -> Bool { value["by"]?.text == "consumer" }
}
