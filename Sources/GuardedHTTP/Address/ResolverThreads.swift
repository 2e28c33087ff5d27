internal import NIOPosix
internal import Synchronization

/// The threads for DNS lookups: a lookup cannot be cancelled, and one that hangs must not block an event loop.
///
/// The resolvers of a process share them; each has a fixed maximum of concurrent lookups. Thread-safe.
package final class ResolverThreads: Sendable {
    private enum Phase {
        case new
        case started
        case ended
    }

    private let pool: NIOThreadPool
    private let phase = Mutex(Phase.new)

    /// Creates the pool with the sum of the resolvers' maxima, so that none waits for another.
    ///
    /// Its threads start with the first lookup, since they cost memory, and live until ``shutdown()``.
    package init(count: Int) { pool = NIOThreadPool(numberOfThreads: count) }

    /// Runs work on one of the threads; with false after the shutdown.
    func run(_ work: @escaping @Sendable (_ isActive: Bool) -> Void) {
        start()
        pool.submit { state in
            let isActive = if case .active = state { true } else { false }
            work(isActive)
        }
    }

    private func start() {
        phase.withLock { phase in
            guard case .new = phase else { return }
            phase = .started
            // Under the lock, because a pool must neither be used nor be shut down while it starts; starting takes a
            // moment, once.
            pool.start()
        }
    }

    /// Shuts the threads down, each at the end of its lookup, without waiting for one that hangs.
    package func shutdown() {
        phase.withLock { $0 = .ended }
        pool.shutdownGracefully { _ in }
    }
}
