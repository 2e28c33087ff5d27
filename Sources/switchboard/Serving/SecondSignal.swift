import Dispatch
import Foundation
import ServiceLifecycle
import Synchronization

/// Ends the process at once when a second SIGTERM or SIGINT comes while it is stopping.
///
/// What is on its way then stays owned in the store, and the next start sends it again.
final class SecondSignal: Service {
    private let sources = Mutex<[any DispatchSourceSignal]>([])

    /// Waits for the first signal, then returns with the handlers in place, so that the shutdown goes on behind it.
    func run() async throws {
        try await gracefulShutdown()
        sources.withLock { sources in
            sources = [SIGTERM, SIGINT].map { signal in
                let source = DispatchSource.makeSignalSource(signal: signal, queue: .global())
                source.setEventHandler { _exit(ExitStatus.secondSignal.rawValue) }
                source.resume()
                return source
            }
        }
    }
}
