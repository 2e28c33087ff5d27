/// Why a command ends: a text for people on standard error, and the exit status.
struct CommandFailure: Error {
    /// How the process ends.
    var status: ProcessStatus
    /// What happened and what to do; without secrets.
    var message: String

    /// Takes status and text.
    ///
    /// - Parameters:
    ///   - status: How the process ends.
    ///   - message: What happened and what to do.
    init(_ status: ProcessStatus, _ message: String) {
        self.status = status
        self.message = message
    }
}
