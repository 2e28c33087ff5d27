import Foundation

/// A message of the device in a window (MessagingWindow page).
enum WindowClientFrame: Sendable, Equatable {
    /// The messages of a conversation that the device needs: those after a sequence.
    struct Resumption: Sendable, Equatable {
        var id: String
        var afterSequence: Int
    }

    /// The most bytes of a message, in either direction.
    static let maxBytes = 65_536
    /// The most conversations of one `resume`.
    static let maxResumed = 500

    case resume([Resumption])
    case acknowledge(conversationID: String, upToSequence: Int)
    case send(OutgoingMessage)
    case typing(conversationID: String)
    case reauthenticate(token: String)

    /// The JSON text.
    var text: String {
        let members: [String: JSONValue]
        switch self {
        case .resume(let list):
            let items = list.map {
                JSONValue.object(["id": .string($0.id), "afterSequence": .integer(Int64($0.afterSequence))])
            }
            members = ["type": "resume", "conversations": .array(items)]
        case .acknowledge(let conversation, let sequence):
            members = [
                "type": "ack", "conversation": .string(conversation), "upToSequence": .integer(Int64(sequence)),
            ]
        case .send(let message):
            var send: [String: JSONValue] = [
                "type": "send", "clientId": .string(message.clientID), "conversation": .string(message.conversationID),
                "text": .string(message.text),
            ]
            send["data"] = message.data
            members = send
        case .typing(let conversation): members = ["type": "typing", "conversation": .string(conversation)]
        case .reauthenticate(let token): members = ["type": "reauthenticate", "sessionToken": .string(token)]
        }
        return String(decoding: JSONValue.object(members).data, as: UTF8.self)
    }
}

/// A message that the consumer writes.
struct OutgoingMessage: Sendable, Equatable {
    /// The id by which a repetition is stored once.
    var clientID: String
    var conversationID: String
    var text: String
    var data: JSONValue?

    /// Checks the message: the gateway could not name it in an error otherwise, or would close the window.
    ///
    /// - Throws: `invalidRequest`.
    func check() throws(SwitchboardError) {
        let hasControls = clientID.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard (1...256).contains(clientID.utf8.count), !hasControls else {
            throw SwitchboardError(.invalidRequest, "clientID needs 1 to 256 bytes without control characters")
        }
        guard !text.isEmpty, !conversationID.isEmpty else {
            throw SwitchboardError(.invalidRequest, "the text or the conversation is empty")
        }
        guard WindowClientFrame.send(self).text.utf8.count <= WindowClientFrame.maxBytes else {
            throw SwitchboardError(.invalidRequest, "the message is longer than 64 KiB")
        }
    }
}
