import ServiceLifecycle

/// Wakes the waiting readers when the gateway stops, so that their requests end at once.
///
/// It must stop before the listener, which waits for requests in flight.
package struct FeedNotifierService: Service {
    private let notifier: FeedNotifier

    /// Creates the service.
    package init(notifier: FeedNotifier) { self.notifier = notifier }

    /// Waits for the shutdown.
    package func run() async throws {
        try? await gracefulShutdown()
        notifier.close()
    }
}
