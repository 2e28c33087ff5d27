/// Whether a provider can be reached and will have us.
package enum PushProviderState: Sendable, Equatable {
    /// No connection, and none wanted.
    case idle
    /// Dialling, or waiting for a token of its own.
    case connecting
    /// Pushes can leave.
    case ready
    /// It could not be reached, or refused the credential; it is tried again by itself. The text is for operators and
    /// holds no secret.
    case failed(reason: String)
}
