import GatewayModel
import GuardedHTTP
import NIOCore
import PushPayloads
import Synchronization

/// Posts the pushes of a lane to the brand's push proxy, one by one, over HTTPS to checked addresses.
///
/// It takes pushes while it has requests free. All of it runs on one event loop, except the requests and the methods of
/// ``PushProvider``.
final class PushProxyProvider: PushProvider {
    /// The part of a response that is read, so that the connection can be reused.
    private static let maxResponseBytes = 64 << 10

    private let eventLoop: any EventLoop
    private let source: any PushSource
    private let client: GuardedHTTPClient
    private let url: GuardedURL
    private let credential: PushProxyCredential
    private let renderer: PushProxyRenderer
    private let brand: BrandID
    private let clock: any GatewayClock
    private let timeout: Duration
    private let slots: PushProxySlots
    private let isWoken = Atomic(false)
    private let state: NIOLoopBoundBox<State>

    private struct State {
        var tasks: [DeliveryID: Task<Void, Never>] = [:]
        var reported: PushProviderState?
        var isShutDown = false
    }

    /// Creates a provider; it connects at its first push.
    ///
    /// - Throws: ``PushCredentialError`` when the client must not reach the URL.
    init(
        _ credential: PushProxyCredential,
        renderer: PushProxyRenderer,
        brand: BrandID,
        source: any PushSource,
        client: GuardedHTTPClient,
        slots: PushProxySlots,
        clock: any GatewayClock,
        timeout: TimeAmount,
        eventLoop: any EventLoop
    ) throws(PushCredentialError) {
        do { url = try client.url(credential.url) } catch {
            throw PushCredentialError(pointer: PushProxyCredential.pointer, detail: error.text)
        }
        self.credential = credential
        self.renderer = renderer
        self.brand = brand
        self.source = source
        self.client = client
        self.slots = slots
        self.clock = clock
        self.timeout = .nanoseconds(timeout.nanoseconds)
        self.eventLoop = eventLoop
        state = NIOLoopBoundBox.makeBoxSendingValue(State(), eventLoop: eventLoop)
    }

    func wake() {
        guard !isWoken.exchange(true, ordering: .acquiringAndReleasing) else { return }
        eventLoop.execute {
            self.isWoken.store(false, ordering: .releasing)
            self.pull()
        }
    }

    // MARK: Pushes

    private func pull() {
        guard !state.value.isShutDown else { return slots.release(brand, 0) }
        let free = PushProxySlots.maxPerLane - state.value.tasks.count
        guard free > 0 else { return }
        let taken = slots.take(brand, atMost: free, for: ObjectIdentifier(self)) { self.wake() }
        guard taken > 0 else { return }
        var jobs: [PushJob] = []
        source.nextPushes(capacity: taken, into: &jobs)
        if jobs.count < taken { slots.release(brand, taken - jobs.count) }
        for job in jobs {
            state.value.tasks[job.delivery] = Task {
                let (response, current) = await self.forward(job)
                try? await self.eventLoop.submit { self.finish(job.delivery, response, current) }.get()
            }
        }
    }

    /// Posts one push; returns its result and the new state of the provider.
    private func forward(_ job: PushJob) async -> (PushResponse, PushProviderState) {
        let start = Moment(clock)
        let request = renderer.request(for: job, path: url.path)
        let result = await exchange(.post(request.body))
        let end = Moment(clock)
        var response = PushResponse(
            outcome: .unknown,
            status: 0,
            reason: nil,
            badge: request.badge,
            sentAt: start.wall,
            latencyMilliseconds: Int64(
                (end.monotonic > start.monotonic ? end.monotonic - start.monotonic : 0) / 1_000_000
            )
        )
        switch result {
        case .success(let received):
            let after = received.header("retry-after")
            response.status = received.status
            response.outcome =
                PushProxyResponses.verdict(status: received.status, retryAfter: after, now: end.wall).outcome
            return (response, .ready)
        case .failure(let failure):
            response.reason = failure.rawValue
            // A cancelled request, at the shutdown, keeps the outcome unknown.
            if !Task.isCancelled {
                response.outcome =
                    failure == .forbiddenAddress
                    ? .misconfigured : .retry(afterSeconds: nil, scope: .laneIfSeveral)
            }
            let isOutboundProxy = failure == .proxy || failure == .proxyCredentials
            return (response, .failed(isOutboundProxy ? .proxy : .unreachable, reason: text(failure)))
        }
    }

    private func exchange(_ method: GuardedRequest.Method) async -> Result<GuardedResponse, GuardedFailure> {
        let request = GuardedRequest(
            url: url,
            method: method,
            headers: [("content-type", "application/json"), ("user-agent", "switchboard")] + credential.headers,
            // Only the status counts.
            responseBody: .drained(maxBytes: Self.maxResponseBytes),
            timeout: timeout,
            owner: brand.rawValue
        )
        do { return .success(try await client.send(request)) } catch { return .failure(error) }
    }

    private func finish(_ delivery: DeliveryID, _ response: PushResponse, _ current: PushProviderState) {
        state.value.tasks[delivery] = nil
        slots.release(brand, 1)
        if current != state.value.reported {
            state.value.reported = current
            source.providerChanged(current)
        }
        source.receive([PushResult(delivery: delivery, response: response)])
        // Not at once, so that a lane that was woken has its turn.
        wake()
    }

    private func text(_ failure: GuardedFailure) -> String { "\(credential.origin): \(failure.rawValue)" }

    // MARK: Check and shutdown

    /// Sends a GET, which no proxy takes for a push: only 401 says something about the credential.
    func check() async -> PushProviderVerdict {
        switch await exchange(.get) {
        case .success(let response):
            let found = "\(credential.origin) responds to GET with \(response.status)"
            return PushProviderVerdict(
                isUsable: response.status != 401,
                text: response.status == 401 ? found + ": the push proxy does not accept the credential" : found
            )
        case .failure(let failure): return PushProviderVerdict(isUsable: false, text: text(failure))
        }
    }

    func shutdown(within limit: Duration) async {
        let stopped = try? await eventLoop.submit { () -> [Task<Void, Never>] in
            self.state.value.isShutDown = true
            return Array(self.state.value.tasks.values)
        }.get()
        slots.leave(ObjectIdentifier(self))
        let tasks = stopped ?? []
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for task in tasks { await task.value } }
            group.addTask {
                // Ended early when all have ended.
                try? await Task.sleep(for: limit)
                for task in tasks { task.cancel() }
            }
            _ = await group.next()
            group.cancelAll()
        }
    }
}
