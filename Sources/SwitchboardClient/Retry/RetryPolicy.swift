/// How often and after which waits a call is repeated.
public struct RetryPolicy: Sendable, Hashable {
    /// The waits before the repetitions; the number of repetitions is their count.
    public var delays: [Duration]
    /// The longest wait that a `Retry-After` of the gateway may ask for; a longer one ends the call.
    public var maxRetryAfter: Duration

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - delays: The waits before the repetitions.
    ///   - maxRetryAfter: The longest wait that the gateway may ask for.
    public init(delays: [Duration], maxRetryAfter: Duration = .seconds(60)) {
        self.delays = delays
        self.maxRetryAfter = maxRetryAfter
    }

    /// Five repetitions after 1, 2, 4, 8 and 16 s: six attempts in 31 s.
    public static let standard = RetryPolicy(delays: [1, 2, 4, 8, 16].map { .seconds($0) })
    /// No repetition.
    public static let none = RetryPolicy(delays: [])
}

/// The policies by kind of call.
///
/// There is none for `initialize`: it has a rule of its own, see ``SwitchboardClient/initialize(_:)``.
public struct RetryPolicies: Sendable, Hashable {
    /// The policy of push registrations.
    public var registration = RetryPolicy.standard
    /// The policy of unread counts.
    public var unread = RetryPolicy.standard
    /// The policy of logouts.
    public var logout = RetryPolicy.standard
    /// The policy of messages, read marks and taps.
    public var messages = RetryPolicy.standard
    /// The policy of engagements.
    public var engagement = RetryPolicy.standard
    /// The waits of a messaging window whose connection was lost, each up to a half longer.
    ///
    /// The last one repeats until the window is closed. With ``RetryPolicy/none`` the first loss closes it.
    public var window = RetryPolicy.standard

    /// Creates the standard policies.
    public init() {}
}

/// The state of the repetitions of one call; a pure value.
struct RetrySchedule: Sendable {
    /// The next step after a failed attempt.
    enum Step: Equatable {
        /// Wait, then try again.
        case wait(Duration)
        /// Report the error: the call has ended.
        case fail
    }

    private let policy: RetryPolicy
    private var used = 0

    init(_ policy: RetryPolicy) { self.policy = policy }

    /// Decides after a failed attempt.
    mutating func failed(_ error: SwitchboardError) -> Step {
        guard error.isRetryable, used < policy.delays.count else { return .fail }
        let asked = error.retryAfter ?? .zero
        guard asked <= policy.maxRetryAfter else { return .fail }
        defer { used += 1 }
        return .wait(max(policy.delays[used], asked))
    }
}
