package import GuardedHTTP

/// The result of an attempt to post a batch.
package enum WebhookAttemptResult: Sendable, Equatable {
    /// The receiver responded.
    case responded(status: Int, retryAfterSeconds: Int64?)
    /// There was no response.
    case failed(GuardedFailure)
}
