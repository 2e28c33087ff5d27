/// The rules by which the library asks for a token and keeps it: each system has its own.
struct TokenPolicy: Sendable, Hashable {
    /// How long the library keeps a token.
    enum Keeping: Sendable, Hashable {
        /// Never: every request asks.
        case never
        /// In memory, until it expires or is rejected.
        case inMemory
        /// In the device's storage, until it expires or is rejected.
        case stored
    }

    /// How long the library keeps a token.
    var keeping: Keeping
    /// The longest wait for the app, from the moment in which it is asked.
    var timeout: Duration
    /// The code of the error when the app is too late.
    var timeoutCode: SwitchboardError.Code
    /// Whether a token that comes too late serves the next call.
    var keepsLateTokens: Bool

    /// Copilot: the library alone holds the key, until it expires.
    static let copilot = TokenPolicy(
        keeping: .stored,
        timeout: .seconds(30),
        timeoutCode: .connectivity,
        keepsLateTokens: false
    )
    /// CCAI Platform: the exchanged token is reused until it expires or is cleared.
    static let signedPayload = copilot
    /// LivePerson: the session is reused; the assertion belongs to the source.
    static let assertion = copilot
    /// Bloomreach: asked for each request, never kept.
    static let customerToken = TokenPolicy(
        keeping: .never,
        timeout: .seconds(30),
        timeoutCode: .connectivity,
        keepsLateTokens: false
    )
    /// Talkdesk: kept until it expires; a late authorization serves the next interaction.
    static func delegate(timeout: Duration) -> TokenPolicy {
        TokenPolicy(
            keeping: .inMemory,
            timeout: timeout,
            timeoutCode: .authorizationTimeout,
            keepsLateTokens: true
        )
    }
}
