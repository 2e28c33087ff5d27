import ServiceLifecycle

/// Wakes the waiting readers when the gateway stops, so that their requests end at once.
///
/// It must stop before the listener, which waits for requests in flight.
package struct OutboundBellService: Service {
    private let bell: OutboundBell

    /// Creates the service.
    ///
    /// - Parameter bell: The bell that readers wait for.
    package init(bell: OutboundBell) { self.bell = bell }

    /// Waits for the shutdown.
    package func run() async throws {
        try? await gracefulShutdown()
        bell.close()
    }
}
