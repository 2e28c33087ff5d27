package import GatewayModel

/// The answer to one push, with the delivery that it answers.
package struct PushResult: Sendable {
    /// The delivery of the push.
    package var delivery: DeliveryID
    /// What became of it.
    package var answer: PushAnswer

    /// Takes an answer.
    ///
    /// - Parameters:
    ///   - delivery: The delivery of the push.
    ///   - answer: What became of it.
    package init(delivery: DeliveryID, answer: PushAnswer) {
        self.delivery = delivery
        self.answer = answer
    }
}
