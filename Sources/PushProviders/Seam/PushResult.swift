package import GatewayModel

/// The result of one push, with its delivery.
package struct PushResult: Sendable {
    /// The delivery of the push.
    package var delivery: DeliveryID
    /// The result of the push.
    package var response: PushResponse

    /// Creates a result.
    package init(delivery: DeliveryID, response: PushResponse) {
        self.delivery = delivery
        self.response = response
    }
}
