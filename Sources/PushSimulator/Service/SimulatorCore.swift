internal import NIOCore
internal import Synchronization

/// What the ports of one simulator share: the rules, the list of pushes and the counts.
///
/// Any thread.
final class SimulatorCore: Sendable {
    /// Nil in quiet mode, in which pushes are only counted.
    let log: PushLog?
    /// The wall clock.
    let clock: @Sendable () -> SimulatorTime
    /// Runs what is delayed.
    let group: any EventLoopGroup

    private let rules = Mutex(RuleBook())
    private let counts = Mutex(SimulatorStatistics())
    private let lastConnection = Mutex(0)

    /// Starts without rules.
    ///
    /// - Parameters:
    ///   - log: Nil for quiet mode.
    ///   - group: Runs what is delayed.
    ///   - clock: The wall clock.
    init(log: PushLog?, group: any EventLoopGroup, clock: @escaping @Sendable () -> SimulatorTime) {
        self.log = log
        self.group = group
        self.clock = clock
    }

    /// The rules in force.
    var currentRules: [SimulatorRule] { self.rules.withLock { $0.rules } }

    /// Puts other rules in force, with fresh counters.
    func replaceRules(with book: RuleBook) {
        self.rules.withLock { $0 = book }
    }

    /// What the rules order for each of some requests.
    ///
    /// - Parameter requests: Who was asked, for which device and with how long a body; called only when there are rules.
    /// - Returns: In the same order; nil when there are no rules.
    func actions(for requests: () -> [(provider: SimulatedProvider, token: String?, bytes: Int)]) -> [RuleAction?]? {
        guard self.rules.withLock({ !$0.isEmpty }) else { return nil }
        let requests = requests()
        return self.rules.withLock { book in
            requests.map { book.action(for: $0.provider, token: $0.token, bytes: $0.bytes) }
        }
    }

    /// The counts so far.
    var statistics: SimulatorStatistics { self.counts.withLock { $0 } }

    /// Changes the counts.
    func count(_ change: (inout SimulatorStatistics) -> Void) {
        self.counts.withLock { change(&$0) }
    }

    /// A number for a new connection, counting from 1 over all ports.
    func nextConnectionNumber() -> Int {
        self.lastConnection.withLock { number in
            number += 1
            return number
        }
    }
}
