/// An error in one member of an app's settings.
package struct SettingsProblem: Error, Equatable {
    /// The member: a JSON pointer into the settings (RFC 6901), for example `/apns/privateKey`.
    package var pointer: String
    /// The error, without the value.
    package var detail: String

    /// Creates an error.
    package init(pointer: String, detail: String) {
        self.pointer = pointer
        self.detail = detail
    }
}
