package import GuardedHTTP

/// How a try to post a batch ended.
package enum WebhookAnswer: Sendable, Equatable {
    /// The receiver answered.
    case answered(status: Int, retryAfterSeconds: Int64?)
    /// There was no answer.
    case failed(GuardedFailure)
}
