package import GatewayModel

/// Where a provider takes its pushes from: a lane of the delivery core.
///
/// The provider pulls when its connection has room, so that what is rendered is true at the moment of sending and
/// nothing rendered ever waits in a queue.
package protocol PushSource: AnyObject, Sendable {
    /// Hands over pushes that are to leave now; called on a provider's event loop.
    ///
    /// - Parameters:
    ///   - capacity: How many can leave now, 1 or more.
    ///   - pushes: At most `capacity` are appended; appending none means that nothing waits, and the provider asks again
    ///     only after ``PushProvider/wake()``.
    func nextPushes(capacity: Int, into pushes: inout [PushJob])

    /// Takes the answers to pushes that were handed over, each exactly once; called on a provider's event loop.
    ///
    /// - Parameter answers: One batch for each burst of reading.
    func receive(_ answers: [PushResult])

    /// Learns whether the provider can be reached and will have us; called on any thread.
    ///
    /// - Parameter state: The state from now on.
    func providerChanged(_ state: PushProviderState)
}
