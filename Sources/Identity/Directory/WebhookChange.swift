package import GatewayModel

/// What an administrator changes of a brand's webhook.
package enum WebhookChange: Sendable {
    /// Nothing.
    case keep
    /// There is none any more.
    case remove
    /// This is it from now on; no secret keeps the present one, which must be there then.
    case set(url: String, types: [OutboundType]?, secret: WebhookSecret?)
}
