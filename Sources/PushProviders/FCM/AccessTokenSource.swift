import GatewayModel
import NIOCore
import Synchronization

/// The access token of one service account for all lanes of this process.
///
/// Any thread.
///
/// One fetch runs at a time, about five minutes before the old token expires, which is used meanwhile. A failed fetch
/// is retried automatically after `min(cap, base * 2^(n-1)) * j`, with `j` drawn from 0.5 to 1, as long as a lane
/// listens.
final class AccessTokenSource: Sendable {
    /// The time in seconds before expiry at which tokens are renewed (ProviderFacts page, B1).
    static let refreshEarlySeconds: Int64 = 300
    /// The shortest time in seconds between renewals because of a 401; further 401s have another cause than the token.
    static let minSecondsBetweenInvalidations: Int64 = 60

    /// Called after each fetch, on any thread, with its error; nil when it succeeded.
    typealias Listener = @Sendable (TokenFetchFailure?) -> Void

    private struct State {
        var token: AccessToken?
        var lastNumber: UInt64 = 0
        var isFetching = false
        var failures = 0
        var failure: TokenFetchFailure?
        var notBefore: UInt64 = 0
        var invalidatedAt: UInt64?
        var isRetryScheduled = false
        var listeners: [UInt64: Listener] = [:]
        var lastListener: UInt64 = 0
    }

    private let account: ServiceAccountKey
    private let endpoint: TokenEndpoint
    private let clock: any GatewayClock
    private let backoffBase: TimeAmount
    private let backoffCap: TimeAmount
    private let eventLoop: any EventLoop
    private let state = Mutex(State())

    init(
        account: ServiceAccountKey,
        endpoint: TokenEndpoint,
        clock: any GatewayClock,
        backoffBase: TimeAmount,
        backoffCap: TimeAmount,
        eventLoop: any EventLoop
    ) {
        self.account = account
        self.endpoint = endpoint
        self.clock = clock
        self.backoffBase = backoffBase
        self.backoffCap = backoffCap
        self.eventLoop = eventLoop
    }

    /// Returns the token for requests that are sent now; nil while there is none.
    ///
    /// Starts a fetch if one is due.
    func token(_ now: Moment) -> AccessToken? {
        let (token, mustFetch) = state.withLock { state -> (AccessToken?, Bool) in
            let live = state.token.flatMap { now.monotonic < $0.expiresAt ? $0 : nil }
            let isDue = live.map { now.monotonic >= $0.refreshAt } ?? true
            let mustFetch = isDue && !state.isFetching && !state.isRetryScheduled && now.monotonic >= state.notBefore
            if mustFetch { state.isFetching = true }
            return (live, mustFetch)
        }
        if mustFetch { fetch() }
        return token
    }

    /// Returns whether there is a token now.
    func state(_ now: Moment) -> CredentialState {
        state.withLock { state in
            if let token = state.token, now.monotonic < token.expiresAt { return .present }
            return state.failure.map { .failed($0.fault, "\($0)") } ?? .waiting
        }
    }

    /// Drops a token that Google rejected, if it is still the current one, and fetches another; false when another was
    /// fetched recently for the same reason.
    func invalidate(_ number: UInt64, _ now: Moment) -> Bool {
        let (isRenewed, mustFetch) = state.withLock { state -> (Bool, Bool) in
            guard state.token?.number == number else { return (true, false) }
            if let last = state.invalidatedAt, now.seconds(since: last) < Self.minSecondsBetweenInvalidations {
                return (false, false)
            }
            state.invalidatedAt = now.monotonic
            state.token = nil
            let mustFetch = !state.isFetching && !state.isRetryScheduled
            if mustFetch { state.isFetching = true }
            return (true, mustFetch)
        }
        if mustFetch { fetch() }
        return isRenewed
    }

    /// Adds a listener; failed fetches are retried only while there is one.
    func listen(_ listener: @escaping Listener) -> UInt64 {
        state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = listener
            return state.lastListener
        }
    }

    /// Removes a listener; it may still be called once, if a fetch ends just now.
    func remove(listener: UInt64) {
        state.withLock { _ = $0.listeners.removeValue(forKey: listener) }
    }

    private func fetch() {
        let assertion: String
        do {
            assertion = try account.assertion(at: clock.now)
        } catch {
            return fetched(.failure(.unsigned))
        }
        endpoint.fetch(assertion: assertion, on: eventLoop).whenSuccess { self.fetched($0) }
    }

    private func fetched(_ result: Result<TokenEndpoint.Grant, TokenFetchFailure>) {
        let now = Moment(clock)
        let (listeners, failure, retry) = state.withLock { state -> ([Listener], TokenFetchFailure?, TimeAmount?) in
            state.isFetching = false
            let listeners = Array(state.listeners.values)
            switch result {
            case .success(let grant):
                state.failures = 0
                state.failure = nil
                state.notBefore = 0
                state.lastNumber += 1
                // Short-lived tokens are renewed after half of their lifetime instead.
                let early = min(Self.refreshEarlySeconds, grant.expiresInSeconds / 2)
                state.token = AccessToken(
                    number: state.lastNumber,
                    authorization: "Bearer " + grant.accessToken,
                    refreshAt: now.monotonic + UInt64(grant.expiresInSeconds - early) * 1_000_000_000,
                    expiresAt: now.monotonic + UInt64(grant.expiresInSeconds) * 1_000_000_000
                )
                return (listeners, nil, nil)
            case .failure(let failure):
                state.failures += 1
                state.failure = failure
                let wait = backoff(state.failures)
                state.notBefore = now.monotonic &+ UInt64(wait.nanoseconds)
                guard !listeners.isEmpty else { return (listeners, failure, nil) }
                state.isRetryScheduled = true
                return (listeners, failure, wait)
            }
        }
        if let retry {
            eventLoop.scheduleTask(in: retry) { self.retry() }
        }
        for listener in listeners { listener(failure) }
    }

    private func retry() {
        let mustFetch = state.withLock { state in
            state.isRetryScheduled = false
            guard !state.isFetching, !state.listeners.isEmpty else { return false }
            state.isFetching = true
            return true
        }
        if mustFetch { fetch() }
    }

    private func backoff(_ failures: Int) -> TimeAmount {
        var wait = backoffBase.nanoseconds
        for _ in 1..<max(1, min(failures, 32)) where wait < backoffCap.nanoseconds { wait *= 2 }
        return .nanoseconds(Int64(Double(min(wait, backoffCap.nanoseconds)) * Double.random(in: 0.5...1)))
    }
}
