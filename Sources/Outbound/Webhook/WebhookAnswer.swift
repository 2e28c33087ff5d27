package import GuardedHTTP

/// The result of an attempt to post a batch.
package enum WebhookAnswer: Sendable, Equatable {
    /// The receiver responded.
    case answered(status: Int, retryAfterSeconds: Int64?)
    /// There was no response.
    case failed(GuardedFailure)
}
