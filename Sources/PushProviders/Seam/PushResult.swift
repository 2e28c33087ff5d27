package import GatewayModel

/// The result of one push, with its delivery.
package struct PushResult: Sendable {
    /// The delivery of the push.
    package var delivery: DeliveryID
    /// The result of the push.
    package var answer: PushAnswer

    /// Creates a result.
    ///
    /// - Parameters:
    ///   - delivery: The delivery of the push.
    ///   - answer: The result of the push.
    package init(delivery: DeliveryID, answer: PushAnswer) {
        self.delivery = delivery
        self.answer = answer
    }
}
