/// What is wrong with one member of an app's settings.
package struct SettingsProblem: Error, Equatable {
    /// Where: a JSON pointer into the settings (RFC 6901), for example `/apns/privateKey`.
    package var pointer: String
    /// What: without the value.
    package var detail: String

    /// Takes a problem.
    ///
    /// - Parameters:
    ///   - pointer: Where.
    ///   - detail: What.
    package init(pointer: String, detail: String) {
        self.pointer = pointer
        self.detail = detail
    }
}
