/// The error that ends a command: a message for standard error, and the exit status.
package struct CommandFailure: Error {
    /// The exit status.
    package var status: ProcessStatus
    /// A message that says what happened and what to do; without secrets.
    package var message: String

    /// Creates an error from status and message.
    package init(_ status: ProcessStatus, _ message: String) {
        self.status = status
        self.message = message
    }
}
