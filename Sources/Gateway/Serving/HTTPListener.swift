import GatewayClient
import ServiceLifecycle

/// An HTTP application with a clear error when listening on its address fails.
struct HTTPListener: Service {
    /// The HTTP application.
    let application: any Service
    /// The address to listen on.
    let address: ListenAddress
    /// The flag that the application sets when it listens.
    let isListening: ListeningFlag

    func run() async throws {
        do {
            try await application.run()
        } catch  where !isListening.value && !(error is CancellationError) {
            throw CommandFailure(.listen, "cannot listen on \(address): \(error)")
        }
    }
}
