/// The id that an app gave to a message, by which a repetition is detected; unique within a consumer.
package struct ClientID: GatewayIdentifier {
    /// The identifier as received.
    package let rawValue: String

    /// Creates an identifier from a string that is known to be valid.
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}
