/// The id that an app gave to what it sent, so that a repetition is known; unique within a consumer.
package struct ClientID: GatewayIdentifier {
    /// The identifier as the outside program wrote it.
    package let rawValue: String

    /// Takes a string that is known to be valid.
    ///
    /// - Parameter rawValue: A string that passes ``isValid(_:)``; it is not checked again.
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}
