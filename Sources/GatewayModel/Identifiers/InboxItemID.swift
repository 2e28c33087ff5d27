/// The id that a back-end gave to an item of a consumer's inbox; unique within the consumer.
package struct InboxItemID: GatewayIdentifier {
    /// The identifier as received.
    package let rawValue: String

    /// Creates an identifier from a string that is known to be valid.
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}
