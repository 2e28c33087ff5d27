package import GuardedHTTP

/// The result of an attempt to post items.
package enum WebhookAttemptResult: Sendable, Equatable {
    /// The receiver responded.
    case responded(status: Int, retryAfterSeconds: Int64?)
    /// The receiver never accepts the items: they are skipped.
    case rejected(status: Int)
    /// There was no response.
    case failed(GuardedFailure)
}
