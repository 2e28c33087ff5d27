/// The id that a back-end gave an event; unique within (brand, source).
package struct EventID: GatewayIdentifier {
    /// The identifier as the outside program wrote it.
    package let rawValue: String

    /// Takes a string that is known to be valid.
    ///
    /// - Parameter rawValue: A string that passes ``isValid(_:)``; it is not checked again.
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}
