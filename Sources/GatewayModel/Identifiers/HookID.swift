/// A helpdesk's webhook of a brand.
package struct HookID: GatewayIdentifier {
    /// The identifier as received.
    package let rawValue: String

    /// Creates an identifier from a string that is known to be valid.
    package init(trusted rawValue: String) { self.rawValue = rawValue }

    /// Returns whether a string is at most 64 bytes of `[A-Za-z0-9._-]`.
    package static func isValid(_ rawValue: String) -> Bool { isName(rawValue) }
}

extension HookID {
    /// The source of its events.
    package var source: String { "hook/\(rawValue)" }

    /// Returns the id of a conversation of the helpdesk: the webhook's id, a colon and the helpdesk's own id.
    ///
    /// Apps cannot name conversations, so that a consumer has only those of the helpdesk that it got messages in.
    package func conversation(_ id: String) -> String { "\(rawValue):\(id)" }

    /// Returns the number of a conversation in the helpdesk; nil for a conversation that is not of this helpdesk.
    package func number(of conversation: String) -> Int64? {
        let prefix = rawValue.utf8.count + 1
        guard let number = Int64(String(decoding: conversation.utf8.dropFirst(prefix), as: UTF8.self)), number > 0,
            self.conversation(String(number)).utf8.elementsEqual(conversation.utf8)
        else { return nil }
        return number
    }
}
