/// A thread of messages between a consumer and the contact centre; unique within the brand.
package struct ConversationID: GatewayIdentifier {
    /// The identifier as received.
    package let rawValue: String

    /// Creates an identifier from a string that is known to be valid.
    ///
    /// - Parameter rawValue: A string that passes ``isValid(_:)``; it is not checked again.
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}
