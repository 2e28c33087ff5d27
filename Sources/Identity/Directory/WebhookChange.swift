package import GatewayModel

/// What an administrator changes of a brand's webhook.
package enum WebhookChange: Sendable {
    /// There is none any more.
    case remove
    /// These of its members.
    case edit(WebhookEdit)
}

/// Members of a webhook that change.
package struct WebhookEdit: Sendable {
    /// What becomes of the secret.
    package enum Secret: Sendable {
        /// It stays; one is made when there is none.
        case keep
        /// One is made.
        case renew
        /// It is this one.
        case given(WebhookSecret)
    }

    /// The receiver's address; nil stays.
    package var url: String?
    /// What is posted, nil within for everything; nil stays.
    package var types: [OutboundType]??
    /// What becomes of the secret.
    package var secret: Secret

    /// Takes what changes.
    ///
    /// - Parameters:
    ///   - url: The receiver's address; nil stays.
    ///   - types: What is posted, nil within for everything; nil stays.
    ///   - secret: What becomes of the secret.
    package init(url: String?, types: [OutboundType]??, secret: Secret) {
        self.url = url
        self.types = types
        self.secret = secret
    }
}
