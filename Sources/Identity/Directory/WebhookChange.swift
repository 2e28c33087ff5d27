package import GatewayModel

/// An administrator's change of a brand's webhook.
package enum WebhookChange: Sendable {
    /// Removes the webhook.
    case remove
    /// Changes members of the webhook.
    case edit(WebhookEdit)
}

/// The changed members of a webhook.
package struct WebhookEdit: Sendable {
    /// The change of the secret.
    package enum Secret: Sendable {
        /// Keeps it; generates one when there is none.
        case keep
        /// Generates a new one.
        case renew
        /// Sets this one.
        case given(WebhookSecret)
    }

    /// The receiver's URL; nil keeps it.
    package var url: String?
    /// The types of the items to post, with an inner nil for all; nil keeps them.
    package var types: [OutboundType]??
    /// The change of the secret.
    package var secret: Secret

    /// Creates a change.
    package init(url: String?, types: [OutboundType]??, secret: Secret) {
        self.url = url
        self.types = types
        self.secret = secret
    }
}
