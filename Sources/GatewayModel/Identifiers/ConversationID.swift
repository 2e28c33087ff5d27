/// A thread of messages between a consumer and the contact centre; unique within the brand.
package struct ConversationID: GatewayIdentifier {
    /// The identifier as received.
    package let rawValue: String

    /// Creates an identifier from a string that is known to be valid.
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}
