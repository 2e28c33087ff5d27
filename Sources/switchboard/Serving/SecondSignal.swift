import Dispatch
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// Ends the process at once when a second SIGTERM or SIGINT comes while it is stopping.
///
/// What is on its way then stays owned in the store, and the next start sends it again.
final class SecondSignal: Service {
    private let logger: Logger
    private let sources = Mutex<[any DispatchSourceSignal]>([])

    /// Nothing is watched before the first signal.
    ///
    /// - Parameter logger: For what operators should know.
    init(logger: Logger) { self.logger = logger }

    /// Waits for the first signal, then returns with the handlers in place, so that the shutdown goes on behind it.
    func run() async throws {
        try await gracefulShutdown()
        for signal in [SIGTERM, SIGINT] {
            // Before it is registered a signal would be missed.
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
