/// An error about a member of an app's settings; safe to show to an operator, because it never contains the value.
package struct PushCredentialError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The member as a JSON pointer (RFC 6901) into the app's JSON, for example `/apns/privateKey`.
    package var pointer: String
    /// The description of the error, without the value.
    package var detail: String

    /// Creates an error.
    package init(pointer: String, detail: String) {
        self.pointer = pointer
        self.detail = detail
    }

    /// The pointer and the detail.
    package var description: String { "\(pointer): \(detail)" }
}
