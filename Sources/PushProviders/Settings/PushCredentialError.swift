/// A member of an app's settings that cannot be used; safe to show to an operator, because it never holds what was given.
package struct PushCredentialError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Which member, as a JSON pointer (RFC 6901) into the app's JSON, for example `/apns/privateKey`.
    package var pointer: String
    /// What is wrong with it, in plain words.
    package var detail: String

    /// Takes an error.
    ///
    /// - Parameters:
    ///   - pointer: The member's JSON pointer.
    ///   - detail: What is wrong with it, without the value.
    package init(pointer: String, detail: String) {
        self.pointer = pointer
        self.detail = detail
    }

    /// Both parts.
    package var description: String { "\(pointer): \(detail)" }
}
