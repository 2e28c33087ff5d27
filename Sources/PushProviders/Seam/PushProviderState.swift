/// Whether a provider can be reached and will have us.
package enum PushProviderState: Sendable, Equatable {
    /// No connection, and none wanted.
    case idle
    /// Dialling, or waiting for a token of its own.
    case connecting
    /// Pushes can leave.
    case ready
    /// It could not be reached, or refused the credential; it is tried again by itself. The text is for the instance's
    /// operators: it holds no secret, but addresses and what the transport said.
    case failed(PushProviderFault, reason: String)
}

/// Why a provider cannot be used, in a word that may be told to anybody.
package enum PushProviderFault: Sendable {
    /// The provider, or its token endpoint, did not answer as it should.
    case unreachable
    /// The app's credential cannot be used, or was refused.
    case credential
}
