package import GatewayModel

/// The source of a provider's pushes: a lane of the delivery core.
///
/// The provider pulls when its connection has capacity, so that pushes are rendered with current data when they are
/// sent, and no rendered push waits in a queue.
package protocol PushSource: AnyObject, Sendable {
    /// Appends pushes that are to be sent now; called on a provider's event loop.
    ///
    /// - Parameters:
    ///   - capacity: The number that can be sent now, at least 1.
    ///   - pushes: At most `capacity` are appended; appending none means that nothing waits, and the provider pulls
    ///     again only after ``PushProvider/wake()``.
    func nextPushes(capacity: Int, into pushes: inout [PushJob])

    /// Receives the results of pulled pushes, each exactly once; called on a provider's event loop.
    ///
    /// - Parameter responses: The results of one read burst.
    func receive(_ responses: [PushResult])

    /// Receives a new state of the provider; called on any thread.
    ///
    /// - Parameter state: The new state.
    func providerChanged(_ state: PushProviderState)
}
