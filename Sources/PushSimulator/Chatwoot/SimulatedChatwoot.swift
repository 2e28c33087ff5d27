internal import Cryptography
internal import TextFormats

/// A Chatwoot with a webhook that has a secret: it signs what it sends as `lib/webhooks/trigger.rb` of its repository
/// does.
package struct SimulatedChatwoot: Sendable {
    /// An error of a sender, on request.
    package enum Flaw: Sendable, CaseIterable {
        /// The webhook has no signature, as that of an older version.
        case unsigned
        /// Another secret signed it.
        case wrongSecret
        /// It was signed an hour ago.
        case outdated
    }

    private let secret: String

    /// Creates one.
    ///
    /// - Parameter secret: The secret that Chatwoot shows for the webhook.
    package init(secret: String) { self.secret = secret }

    /// Returns the headers of a delivery.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - id: The id of the delivery; a repetition has the same.
    ///   - time: The present.
    ///   - flaw: An error of the sender.
    /// - Returns: Names and values.
    package func headers(
        of body: [UInt8],
        delivery id: String,
        at time: SimulatorTime,
        flaw: Flaw? = nil
    ) -> [(name: String, value: String)] {
        let headers = [(name: "Content-Type", value: "application/json"), (name: "X-Chatwoot-Delivery", value: id)]
        if flaw == .unsigned { return headers }
        let seconds = time.seconds - (flaw == .outdated ? 3600 : 0)
        let key = Array((flaw == .wrongSecret ? secret + "x" : secret).utf8)
        let signed = Array("\(seconds).".utf8) + body
        let code = HMAC<SHA256>.authenticationCode(for: signed, using: key)
        return headers + [
            ("X-Chatwoot-Timestamp", String(seconds)), ("X-Chatwoot-Signature", "sha256=" + Hexadecimal.text(code)),
        ]
    }

    /// Returns the body for a message that an agent wrote.
    ///
    /// - Parameters:
    ///   - content: The text.
    ///   - identifier: The contact's identifier, if the app has set one.
    ///   - conversation: The conversation's number in the account.
    ///   - isPrivate: Whether it is a note among agents.
    /// - Returns: The body.
    package static func message(
        _ content: String,
        to identifier: String?,
        in conversation: Int64,
        isPrivate: Bool = false
    ) -> [UInt8] {
        let identity = identifier.map { JSONValue.string($0) } ?? .null
        let contact: JSONValue = [
            "additional_attributes": [:], "custom_attributes": [:], "email": .null, "id": .integer(12),
            "identifier": identity, "name": .string("Ann Example"),
            "phone_number": .null, "thumbnail": .string(""), "blocked": .bool(false), "type": .string("contact"),
        ]
        let body: JSONValue = [
            "account": ["id": .integer(1), "name": .string("Acme Inc")],
            "additional_attributes": [:], "content_attributes": [:], "content_type": .string("text"),
            "content": .string(content),
            "conversation": [
                "additional_attributes": [:], "can_reply": .bool(true), "channel": .string("Channel::Api"),
                "contact_inbox": [
                    "id": .integer(12), "contact_id": .integer(12), "inbox_id": .integer(1),
                    "source_id": .string("b7f2"), "hmac_verified": .bool(true),
                ],
                "id": .integer(conversation), "inbox_id": .integer(1), "messages": .array([]), "labels": .array([]),
                "meta": ["sender": contact, "assignee": .null, "team": .null, "hmac_verified": .bool(true)],
                "status": .string("open"), "unread_count": .integer(0), "timestamp": .integer(1_767_323_045),
            ],
            "created_at": .string("2026-01-02T03:04:05.678Z"), "id": .integer(118),
            "inbox": ["id": .integer(1), "name": .string("App")], "message_type": .string("outgoing"),
            "private": .bool(isPrivate),
            "sender": [
                "id": .integer(7), "name": .string("Dana"), "email": .string("dana@acme.example"),
                "type": .string("user"),
            ],
            "source_id": .null, "event": .string("message_created"),
        ]
        return body.text
    }
}
