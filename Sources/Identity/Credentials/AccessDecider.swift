/// The brand's own service that decides about each request for an access token (R203).
package struct AccessDecider: Sendable, Equatable {
    /// Its URL.
    package var url: String
    /// The secret that signs the gateway's requests to it.
    package var secret: WebhookSecret

    /// Creates a decider.
    package init(url: String, secret: WebhookSecret) {
        self.url = url
        self.secret = secret
    }
}
