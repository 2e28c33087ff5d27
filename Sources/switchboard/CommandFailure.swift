/// The error that ends a command: a message for standard error, and the exit status.
struct CommandFailure: Error {
    /// The exit status.
    var status: ProcessStatus
    /// A message that says what happened and what to do; without secrets.
    var message: String

    /// Creates an error from status and message.
    ///
    /// - Parameters:
    ///   - status: The exit status.
    ///   - message: A message that says what happened and what to do.
    init(_ status: ProcessStatus, _ message: String) {
        self.status = status
        self.message = message
    }
}
