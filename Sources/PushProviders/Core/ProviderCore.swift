import GatewayModel
import HTTP2Connections
import Logging
import NIOCore
import PushPayloads
import Synchronization
import TLS

/// A provider: pulls pushes when a connection has capacity, sends them, interprets the responses, and replaces
/// connections.
///
/// The differences between APNs and FCM are in its dialect.
/// All of it runs on one event loop, except the methods of ``PushProvider``.
final class ProviderCore: PushProvider, HTTP2RequestSource {
    /// The shortest time between two connection replacements because of a response without a wait for the affected
    /// pushes.
    private static let minSecondsBetweenReplacements: Int64 = 5

    let eventLoop: any EventLoop
    let quota: PushQuota?
    private let source: any PushSource
    private let clock: any GatewayClock
    private let requestTimeout: TimeAmount
    private let pool = Mutex<HTTP2ConnectionPool?>(nil)
    private let state: NIOLoopBoundBox<State>

    private struct State {
        var dialect: any ProviderDialect
        var inFlight = InFlightPushes()
        var watch = CombinedConnectionState()
        /// The number of the newest connection.
        var newest: UInt64 = 0
        /// The latest replacement of a connection because of a response.
        var blame: Blame?
        var reported: PushProviderState?
        var checks: [@Sendable (CombinedConnectionState.State) -> Void] = []
        var isShutDown = false
        /// Reused for each pull.
        var jobs: [PushJob] = []
    }

    /// A replacement of a connection because of a response.
    private struct Blame {
        var connection: UInt64
        /// The time on the monotonic clock.
        var at: UInt64
        /// The first connection that was opened after it.
        var firstNew: UInt64
        /// Whether the affected pushes may be sent again at once.
        var isAtOnce: Bool
    }

    /// Creates a core with its pool; it does not dial before ``wake()``.
    init(
        eventLoop: any EventLoop,
        source: any PushSource,
        clock: any GatewayClock,
        requestTimeout: TimeAmount,
        quota: PushQuota? = nil,
        makeDialect: (@escaping @Sendable () -> Void) -> sending any ProviderDialect,
        makePool: (any HTTP2RequestSource, any EventLoop) -> HTTP2ConnectionPool
    ) {
        self.eventLoop = eventLoop
        self.source = source
        self.clock = clock
        self.requestTimeout = requestTimeout
        self.quota = quota
        let relay = CredentialRelay()
        let dialect = makeDialect { relay.core?.credentialChanged() }
        state = NIOLoopBoundBox.makeBoxSendingValue(State(dialect: dialect), eventLoop: eventLoop)
        relay.attach(self)
        pool.withLock { $0 = makePool(self, eventLoop) }
    }

    /// Notifies the pool that the source has pushes.
    ///
    /// Any thread.
    func wake() {
        pool.withLock { $0 }?.wake()
    }

    /// Handles a new credential or its failure.
    ///
    /// On the event loop.
    func credentialChanged() {
        eventLoop.preconditionInEventLoop()
        guard !state.value.isShutDown else { return }
        reportState()
        wake()
    }

    // MARK: - HTTP2RequestSource

    func nextRequests(connection: UInt64, capacity: Int, into requests: inout [HTTP2Request]) {
        guard !state.value.isShutDown else { return }
        let now = Moment(clock)
        guard let authorization = state.value.dialect.authorization(of: connection, now) else { return reportState() }
        // Moved out of the state, so that the source may call us back.
        var jobs = state.value.jobs
        state.value.jobs = []
        source.nextPushes(capacity: capacity, into: &jobs)
        var spare: [PushHeader] = []
        for job in jobs {
            let rendered = state.value.dialect.request(for: job, now: now.wall, reusing: consume spare)
            let id = state.value.inFlight.add(
                InFlightPushes.Push(
                    delivery: job.delivery,
                    badge: rendered.badge,
                    sentAt: now.wall,
                    start: now.monotonic,
                    token: authorization.token,
                    connection: connection
                )
            )
            requests.append(request(id, rendered, authorization.header))
            spare = rendered.headers
        }
        jobs.removeAll(keepingCapacity: true)
        state.value.jobs = jobs
    }

    private func request(_ id: UInt64, _ rendered: PushRequest, _ authorization: HTTP2Header?) -> HTTP2Request {
        var headers: [HTTP2Header] = []
        headers.reserveCapacity(rendered.headers.count + 1)
        if let authorization { headers.append(authorization) }
        for header in rendered.headers {
            let indexing: HTTP2Header.Indexing =
                switch header.indexing {
                case .incremental: .incremental
                case .none: .withoutIndexing
                case .never: .neverIndexed
                }
            headers.append(HTTP2Header(name: HTTP2HeaderName(header.name), value: header.value, indexing: indexing))
        }
        return HTTP2Request(
            id: id,
            path: rendered.path,
            headers: headers,
            body: rendered.body,
            timeout: requestTimeout
        )
    }

    func receive(_ responses: [HTTP2Response]) {
        let now = Moment(clock)
        var results: [PushResult] = []
        results.reserveCapacity(responses.count)
        for response in responses {
            guard let push = state.value.inFlight.remove(response.id) else { continue }
            results.append(PushResult(delivery: push.delivery, response: pushResponse(response.result, push, now)))
        }
        guard !results.isEmpty else { return }
        source.receive(results)
    }

    private func pushResponse(_ result: HTTP2Response.Result, _ push: InFlightPushes.Push, _ now: Moment)
        -> PushResponse
    {
        let outcome: PushOutcome
        let status: Int
        let reason: String?
        switch result {
        case .response(let code, let headers, let body):
            let verdict = state.value.dialect.verdict(status: code, headers: headers, body: body, now: now.wall)
            status = code
            reason = verdict.reason
            outcome = outcomeAfterRemedy(verdict, push, now)
        case .failure(.unprocessed(let why)):
            status = 0
            reason = why.label
            outcome = Self.outcome(ofUnprocessed: why)
        case .failure(.unknown(let why)):
            status = 0
            reason = why.label
            outcome = .unknown
        }
        let nanoseconds = now.monotonic > push.start ? now.monotonic - push.start : 0
        return PushResponse(
            outcome: outcome,
            status: status,
            reason: reason,
            badge: push.badge,
            sentAt: push.sentAt,
            latencyMilliseconds: Int64(nanoseconds / 1_000_000)
        )
    }

    /// Returns the outcome of a push that was certainly not processed: not sent, which counts as no attempt, unless the
    /// error is our own and the next try may repeat it.
    private static func outcome(ofUnprocessed reason: HTTP2RequestFailure.Reason) -> PushOutcome {
        switch reason {
        case .goAway, .reset, .shutdown, .connectionLost, .deadline: .notSent
        case .malformed, .queueFull: .retry(afterSeconds: nil, scope: .device)
        }
    }

    private func outcomeAfterRemedy(_ verdict: ResponseVerdict, _ push: InFlightPushes.Push, _ now: Moment)
        -> PushOutcome
    {
        switch verdict.remedy {
        case .none: return verdict.outcome
        case .renewToken:
            // The only resend: the source provides the push again, rendered with current data.
            return state.value.dialect.renewToken(failed: push.token, on: push.connection, now: now)
                ? .retry(afterSeconds: 0, scope: .device) : verdict.outcome
        case .keepToken:
            state.value.dialect.keepOldToken(failed: push.token, on: push.connection, now: now)
            return verdict.outcome
        case .replaceConnection:
            guard !replace(push.connection, now), case .retry(0?, let scope) = verdict.outcome else {
                return verdict.outcome
            }
            return .retry(afterSeconds: nil, scope: scope)
        }
    }

    func connectionChanged(_ connection: UInt64, _ change: HTTP2ConnectionState) {
        switch change {
        case .connecting: state.value.newest = max(state.value.newest, connection)
        case .ready: break
        case .draining, .failed, .closed: state.value.dialect.connectionEnded(connection)
        }
        state.value.watch.changed(connection, change)
        if change == .connecting { state.value.dialect.prepare(Moment(clock)) }
        switch state.value.watch.state {
        case .ready, .failed: finishChecks()
        case .idle, .connecting: break
        }
        reportState()
    }

    // MARK: - State

    private func reportState() {
        let connection = state.value.watch.state
        let current: PushProviderState
        switch (state.value.dialect.credential, connection) {
        case (.failed(let fault, let reason), _): current = .failed(fault, reason: reason)
        case (_, .failed(let failure)):
            let fault: PushProviderFault = if case .proxy = failure { .proxy } else { .unreachable }
            current = .failed(fault, reason: "\(state.value.dialect.endpointName): \(failure)")
        case (_, .idle): current = .idle
        case (_, .connecting), (.waiting, .ready): current = .connecting
        case (.present, .ready): current = .ready
        }
        guard current != state.value.reported else { return }
        state.value.reported = current
        source.providerChanged(current)
    }

    /// Replaces a connection; returns false when it replaced another one itself shortly before: an immediate retry
    /// would be a storm.
    private func replace(_ connection: UInt64, _ now: Moment) -> Bool {
        pool.withLock { $0 }?.replace(connection: connection)
        guard let last = state.value.blame else {
            state.value.blame = blame(connection, now, isAtOnce: true)
            return true
        }
        if connection == last.connection { return last.isAtOnce }
        // It was open when another was replaced: replacing each of them once is no storm.
        guard connection >= last.firstNew else { return true }
        let isAtOnce = now.seconds(since: last.at) >= Self.minSecondsBetweenReplacements
        state.value.blame = blame(connection, now, isAtOnce: isAtOnce)
        return isAtOnce
    }

    private func blame(_ connection: UInt64, _ now: Moment, isAtOnce: Bool) -> Blame {
        Blame(connection: connection, at: now.monotonic, firstNew: state.value.newest + 1, isAtOnce: isAtOnce)
    }

    // MARK: - Check

    /// Opens a connection if there is none, then checks the credential.
    func check() async -> PushProviderVerdict {
        let connection = await withCheckedContinuation { continuation in
            eventLoop.execute {
                self.whenConnected { continuation.resume(returning: $0) }
            }
        }
        let name = try? await eventLoop.submit { self.state.value.dialect.endpointName }.get()
        let endpoint = name ?? ""
        switch connection {
        case .ready: break
        case .failed(let failure):
            return PushProviderVerdict(isUsable: false, text: "\(endpoint): \(failure)", advice: Self.advice(failure))
        case .idle, .connecting: return PushProviderVerdict(isUsable: false, text: "\(endpoint): shut down")
        }
        let credential = await withCheckedContinuation { continuation in
            eventLoop.execute {
                self.state.value.dialect.checkCredential { continuation.resume(returning: $0) }
            }
        }
        return PushProviderVerdict(
            isUsable: credential.isUsable,
            text: "connected to \(endpoint) over HTTP/2; \(credential.text)"
        )
    }

    /// Returns what an operator can do about a connection that fails.
    private static func advice(_ failure: HTTP2ConnectionFailure) -> String? {
        switch failure {
        case .unreachable: "look at the name server, the route and the firewall of this host, or set provider.proxy"
        case .setupTimedOut: "a firewall may drop the packets: open the port, or set provider.proxy"
        case .tls(.certificate):
            "set the clock if it is wrong, install ca-certificates, or add the authority of a proxy that opens TLS to provider.trustRoots"
        case .tls(.noHTTP2): "a proxy that opens TLS must offer HTTP/2, or let these connections pass"
        default: nil
        }
    }

    private func whenConnected(_ completion: @escaping @Sendable (CombinedConnectionState.State) -> Void) {
        if state.value.isShutDown || state.value.watch.state == .ready {
            return completion(state.value.isShutDown ? .idle : .ready)
        }
        state.value.checks.append(completion)
        wake()
    }

    private func finishChecks() {
        let checks = state.value.checks
        state.value.checks = []
        for completion in checks { completion(state.value.watch.state) }
    }

    // MARK: - Shutdown

    func shutdown(within limit: Duration) async {
        let deadline = NIODeadline.now() + TimeAmount(limit)
        let end = try? await eventLoop.submit { () -> EventLoopFuture<Void>? in
            self.state.value.isShutDown = true
            self.state.value.dialect.shutDown()
            let checks = self.state.value.checks
            self.state.value.checks = []
            for completion in checks { completion(.idle) }
            return self.pool.withLock { $0 }?.shutdown(deadline: deadline)
        }.get()
        try? await end?.get()
        // A pool retains its source: without this both would leak.
        pool.withLock { $0 = nil }
    }
}
