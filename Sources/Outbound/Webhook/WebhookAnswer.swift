/// How a try to post a batch ended.
package enum WebhookAnswer: Sendable, Equatable {
    /// The receiver answered.
    case answered(status: Int, retryAfterSeconds: Int64?)
    /// There was no answer.
    case failed(Failure)

    /// Why there was none; a stable word.
    package enum Failure: String, Sendable, CaseIterable {
        /// Nobody took the connection, or it broke.
        case unreachable
        /// Not within ``HTTPWebhookSender/timeoutSeconds``.
        case timeout
        /// The name has no address.
        case unresolved
        /// The address is one that webhooks must not reach.
        case forbiddenAddress = "forbidden_address"
        /// TLS failed: mostly a certificate that nobody trusts.
        case tls
    }
}
