internal import NIOPosix
internal import Synchronization

/// Threads on which names are looked up: nothing can stop a look-up, and one that hangs must hold no event loop.
///
/// Shared by the resolvers of a process, of which each uses so many at once as it was given. Any thread.
package final class ResolverThreads: Sendable {
    private enum Phase {
        case new
        case started
        case ended
    }

    private let pool: NIOThreadPool
    private let phase = Mutex(Phase.new)

    /// Starts no thread before the first look-up, since they cost memory; they stay until ``shutdown()`` then.
    ///
    /// - Parameter count: How many there are: the sum of what the resolvers use at once, so that none waits for another's.
    package init(count: Int) { pool = NIOThreadPool(numberOfThreads: count) }

    /// Runs work on one of the threads; with false when they have ended.
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
            // Under the lock, because a pool must neither be used nor shut down while it starts; it takes a moment, once.
            pool.start()
        }
    }

    /// Ends the threads, each when its look-up is over; nobody waits for one that hangs.
    package func shutdown() {
        phase.withLock { $0 = .ended }
        pool.shutdownGracefully { _ in }
    }
}
