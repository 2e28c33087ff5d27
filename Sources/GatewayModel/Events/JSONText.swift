/// A JSON value as its text, already checked to be valid JSON and kept as it came.
///
/// The gateway passes an event's `data` through without looking into it; a string of text is the cheapest shape for that.
package struct JSONText: Hashable, Sendable {
    /// Valid JSON in UTF-8.
    package let text: String

    /// Takes text that is known to be valid JSON.
    ///
    /// - Parameter text: Valid JSON; it is not checked again.
    package init(trusted text: String) { self.text = text }
}
