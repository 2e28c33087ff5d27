internal import NIOCore
internal import Synchronization

/// The shared state of a simulator's ports: the rules, the list of pushes and the counts.
///
/// Any thread.
final class SimulatorCore: Sendable {
    /// Nil in quiet mode, in which pushes are only counted.
    let log: PushLog?
    /// The wall clock.
    let clock: @Sendable () -> SimulatorTime
    /// The event loops for delayed actions.
    let group: any EventLoopGroup

    private let rules = Mutex(RuleBook())
    private let counts = Mutex(SimulatorStatistics())
    private let lastConnection = Mutex(0)

    /// Creates a core without rules.
    ///
    /// - Parameters:
    ///   - log: Nil for quiet mode.
    ///   - group: The event loops for delayed actions.
    ///   - clock: The wall clock.
    init(log: PushLog?, group: any EventLoopGroup, clock: @escaping @Sendable () -> SimulatorTime) {
        self.log = log
        self.group = group
        self.clock = clock
    }

    /// The current rules.
    var currentRules: [SimulatorRule] { self.rules.withLock { $0.rules } }

    /// Replaces the rules and resets their counters.
    func replaceRules(with book: RuleBook) {
        self.rules.withLock { $0 = book }
    }

    /// Returns the action of the rules for each of some requests.
    ///
    /// - Parameter requests: The provider, device token and body length of each request; called only when there are
    ///   rules.
    /// - Returns: The actions in the same order; nil when there are no rules.
    func actions(for requests: () -> [(provider: SimulatedProvider, token: String?, bytes: Int)]) -> [RuleAction?]? {
        guard self.rules.withLock({ !$0.isEmpty }) else { return nil }
        let requests = requests()
        return self.rules.withLock { book in
            requests.map { book.action(for: $0.provider, token: $0.token, bytes: $0.bytes) }
        }
    }

    /// The current counts.
    var statistics: SimulatorStatistics { self.counts.withLock { $0 } }

    /// Changes the counts.
    func count(_ change: (inout SimulatorStatistics) -> Void) {
        self.counts.withLock { change(&$0) }
    }

    /// Returns a number for a new connection, from 1 over all ports.
    func nextConnectionNumber() -> Int {
        self.lastConnection.withLock { number in
            number += 1
            return number
        }
    }
}
