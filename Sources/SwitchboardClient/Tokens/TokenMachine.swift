/// The session token and the calls that wait for it; a pure value.
///
/// However many calls need a token, the app is asked once.
struct TokenMachine: Sendable {
    /// A token that is in use.
    struct Held: Sendable, Equatable {
        var token: String
        /// The uptime at which it expires; nil if only a rejection shows it.
        var expiresAt: Duration?
    }

    /// The effect of a step, for the calls that it names.
    enum Action: Sendable, Equatable {
        /// Ask the source; the call waits.
        case ask(attempt: Int)
        /// The call waits for an attempt that runs.
        case wait
        /// These calls continue.
        case resume([Int], token: String)
        /// These calls fail.
        case fail([Int], SwitchboardError)
        /// Nothing.
        case none
    }

    private enum State {
        case idle
        case asking(attempt: Int, waiters: [Int])
        case held(Held)
        case blocked(SwitchboardError)
    }

    /// The most calls that wait for one token; more fail at once.
    static let maxWaiters = 4096

    var policy: TokenPolicy
    private var state = State.idle
    private var attempts = 0

    init(policy: TokenPolicy) { self.policy = policy }

    /// The token in use, also an expired one; nil when there is none.
    var held: Held? {
        if case .held(let held) = state { held } else { nil }
    }

    /// Whether there is a token that has not expired.
    func isUsable(at now: Duration) -> Bool { held.map { held in held.expiresAt.map { now < $0 } ?? true } ?? false }

    /// The attempt that runs; nil when none does.
    var attempt: Int? {
        if case .asking(let attempt, _) = state { attempt } else { nil }
    }

    /// Whether the source must not be asked until the app gives a fresh credential.
    var isBlocked: Bool {
        if case .blocked = state { true } else { false }
    }

    /// A call needs the token.
    mutating func need(_ waiter: Int, at now: Duration) -> Action {
        switch state {
        case .held(let held) where held.expiresAt.map { now < $0 } ?? true: return .resume([waiter], token: held.token)
        case .held, .idle:
            attempts += 1
            state = .asking(attempt: attempts, waiters: [waiter])
            return .ask(attempt: attempts)
        case .asking(let attempt, let waiters):
            guard waiters.count < Self.maxWaiters else {
                return .fail([waiter], SwitchboardError(.tooManyCalls, "too many calls wait for a token"))
            }
            state = .asking(attempt: attempt, waiters: waiters + [waiter])
            return .wait
        case .blocked(let error): return .fail([waiter], error)
        }
    }

    /// The source gave a token.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - lifetime: How long it is valid; nil if the source does not say.
    ///   - attempt: The attempt; nil if the app gave it without being asked.
    ///   - now: The uptime.
    /// - Returns: The calls that continue.
    mutating func obtained(_ token: String, lifetime: Duration?, attempt: Int?, at now: Duration) -> Action {
        let held = Held(token: token, expiresAt: lifetime.map { now + $0 })
        switch state {
        case .asking(let running, let waiters) where attempt == nil || attempt == running:
            state = .held(held)
            return .resume(waiters, token: token)
        case .asking: return .none
        case .idle, .held, .blocked:
            // Nobody waits: a late token, or one that the app gives before it is asked.
            if attempt == nil, policy.keepsLateTokens { state = .held(held) }
            return .none
        }
    }

    /// The source failed, or was too slow.
    ///
    /// - Parameters:
    ///   - error: The error for the calls.
    ///   - attempt: The attempt; nil for whichever runs.
    ///   - isFinal: Whether the source is not asked again before the app gives a fresh credential.
    /// - Returns: The calls that fail.
    mutating func failed(_ error: SwitchboardError, attempt: Int?, isFinal: Bool = false) -> Action {
        guard case .asking(let running, let waiters) = state, attempt == nil || attempt == running else { return .none }
        state = isFinal ? .blocked(error) : .idle
        return .fail(waiters, error)
    }

    /// The gateway rejected a token: it is dropped, unless a newer one has replaced it already.
    mutating func rejected(_ token: String) {
        if case .held(let held) = state, held.token.utf8.elementsEqual(token.utf8) { state = .idle }
    }

    /// Stops asking until the app gives a fresh credential; only where nothing runs.
    mutating func block(_ error: SwitchboardError) {
        if case .asking = state { return }
        state = .blocked(error)
    }

    /// Continues with a token of an earlier start of the process.
    mutating func restore(_ held: Held) { state = .held(held) }

    /// Forgets everything, as at a logout or with a fresh credential; a running attempt no longer counts.
    ///
    /// - Parameter error: The error for the calls that wait.
    /// - Returns: The calls that fail.
    mutating func clear(_ error: SwitchboardError) -> Action {
        defer { state = .idle }
        guard case .asking(_, let waiters) = state else { return .none }
        return .fail(waiters, error)
    }

    /// A call no longer waits.
    mutating func cancelled(_ waiter: Int) {
        if case .asking(let attempt, let waiters) = state {
            state = .asking(attempt: attempt, waiters: waiters.filter { $0 != waiter })
        }
    }
}
