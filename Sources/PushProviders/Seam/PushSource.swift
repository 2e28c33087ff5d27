package import GatewayModel

/// The source of a provider's pushes: a lane of the delivery core.
///
/// The provider pulls when its connection has capacity, so that pushes are rendered with current data when they are
/// sent, and no rendered push waits in a queue.
package protocol PushSource: AnyObject, Sendable {
    /// Appends at most `capacity` pushes, at least 1, that are to be sent now; called on a provider's event loop.
    ///
    /// Appending none means that nothing waits, and the provider pulls again only after ``PushProvider/wake()``.
    func nextPushes(capacity: Int, into pushes: inout [PushJob])

    /// Receives the results of pulled pushes, those of one read burst, each exactly once; called on a provider's event
    /// loop.
    func receive(_ responses: [PushResult])

    /// Receives a new state of the provider; called on any thread.
    func providerChanged(_ state: PushProviderState)
}
