/// A JSON value as text, already validated and otherwise unchanged.
///
/// The gateway passes an event's `data` through without parsing it further; a string is the cheapest form for that.
package struct JSONText: Hashable, Sendable {
    /// Valid JSON in UTF-8.
    package let text: String

    /// Creates a value from text that is known to be valid JSON; it is not validated again.
    package init(trusted text: String) { self.text = text }
}
