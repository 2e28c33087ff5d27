package import Logging
import Synchronization

/// The level below which nothing is written, shared by every logger of the process, so that it can be changed at
/// runtime.
///
/// Usable from any thread; reading it is one atomic load.
package final class LogThreshold: Sendable {
    private let position: Atomic<Int>

    /// Creates a threshold with its first level.
    package init(_ level: Logger.Level) { position = Atomic(Self.position(of: level)) }

    /// The level; a change does not affect loggers that have their own level.
    package var level: Logger.Level {
        get { Logger.Level.allCases[position.load(ordering: .relaxed)] }
        set { position.store(Self.position(of: newValue), ordering: .relaxed) }
    }

    private static func position(of level: Logger.Level) -> Int { Logger.Level.allCases.firstIndex(of: level) ?? 0 }
}
