/// The state of the connection to a provider and of its credential.
package enum PushProviderState: Sendable, Equatable {
    /// No connection, and none needed.
    case idle
    /// Dialling, or fetching a token.
    case connecting
    /// Pushes can be sent.
    case ready
    /// It could not be reached, or rejected the credential; it is retried automatically. The text is for the instance's
    /// operators: it holds no secret, but addresses and transport errors.
    case failed(PushProviderFault, reason: String)
}

/// The category of a provider error, which may be shown to tenants.
package enum PushProviderFault: Sendable {
    /// The provider, or its token endpoint, did not respond as expected.
    case unreachable
    /// The outbound proxy (`provider.proxy`) did not connect to the provider or its token endpoint; nothing was sent.
    case proxy
    /// The app's credential cannot be used, or was rejected.
    case credential
}
