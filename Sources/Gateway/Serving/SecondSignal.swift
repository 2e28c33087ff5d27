import Dispatch
import Foundation
import GatewayClient
import Logging
import ServiceLifecycle
import Synchronization

/// Ends the process at once when a second SIGTERM or SIGINT arrives while it is stopping.
///
/// Deliveries in flight stay claimed in the store, and the next start sends them again.
final class SecondSignal: Service {
    private let logger: Logger
    private let sources = Mutex<[any DispatchSourceSignal]>([])

    /// Creates the service; it handles no signal before the first one.
    init(logger: Logger) { self.logger = logger }

    /// Waits for the first signal, then returns with the handlers installed, so that the shutdown continues.
    func run() async throws {
        try await gracefulShutdown()
        for signal in [SIGTERM, SIGINT] {
            // A signal before the registration would be missed.
            await withCheckedContinuation { isRegistered in
                sources.withLock { sources in
                    let source = DispatchSource.makeSignalSource(signal: signal, queue: .global())
                    source.setEventHandler { _exit(ProcessStatus.secondSignal.rawValue) }
                    source.setRegistrationHandler { isRegistered.resume() }
                    source.resume()
                    sources.append(source)
                }
            }
        }
        logger.notice("stopping")
    }
}
