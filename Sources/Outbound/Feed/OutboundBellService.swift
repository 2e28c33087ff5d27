import ServiceLifecycle

/// Wakes the readers that wait when the gateway stops, so that their requests end at once.
///
/// It must stop before the listener, which waits for requests.
package struct OutboundBellService: Service {
    private let bell: OutboundBell

    /// Takes the bell.
    ///
    /// - Parameter bell: What readers wait for.
    package init(bell: OutboundBell) { self.bell = bell }

    /// Waits for the shutdown.
    package func run() async throws {
        try? await gracefulShutdown()
        bell.close()
    }
}
