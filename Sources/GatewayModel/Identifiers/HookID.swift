/// A helpdesk's webhook of a brand.
package struct HookID: GatewayIdentifier {
    /// The identifier as received.
    package let rawValue: String

    /// Creates an identifier from a string that is known to be valid.
    package init(trusted rawValue: String) { self.rawValue = rawValue }

    /// Returns whether a string is at most 64 bytes of `[A-Za-z0-9._-]`.
    package static func isValid(_ rawValue: String) -> Bool { isName(rawValue) }
}
