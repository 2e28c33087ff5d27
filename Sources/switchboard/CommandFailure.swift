/// Why a command ends: a text for people on standard error, and the exit status.
struct CommandFailure: Error {
    /// How the process ends.
    var status: ExitStatus
    /// What happened and what to do; without secrets.
    var message: String

    /// Takes status and text.
    ///
    /// - Parameters:
    ///   - status: How the process ends.
    ///   - message: What happened and what to do.
    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }
}
