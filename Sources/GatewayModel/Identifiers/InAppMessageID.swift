/// The id that a back-end gave to an in-app message; unique within the brand.
package struct InAppMessageID: GatewayIdentifier {
    /// The identifier as received.
    package let rawValue: String

    /// Creates an identifier from a string that is known to be valid.
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}
