import GatewayModel
import NIOCore
import ProcessHarness
import PushProviders
import Synchronization

/// A source of pushes to one device each, which keeps each push until it is accepted, as the delivery core does.
final class FaultSource: PushSource {
    /// The delay before a retry, where the delivery core's first delay would be 5 s.
    private static let retryDelay = TimeAmount.milliseconds(20)

    /// The counts.
    struct Counts: Sendable {
        /// Pushes handed to the provider, including resends.
        var sent = 0
        /// Results that do not say whether the push was accepted, by device token.
        var doubts: [String: Int] = [:]
        /// Device tokens whose push the provider reported as accepted.
        var accepted: Set<String> = []
        /// Results that are final failures.
        var failed: [String] = []
        /// The provider's last reason for not being able to send.
        var refusal: String?
    }

    private struct State {
        var counts = Counts()
        var waiting: [PushJob]
        var jobs: [DeliveryID: PushJob] = [:]
        var provider: (any PushProvider)?
        var isScheduled = false
    }

    private let eventLoop: any EventLoop
    private let total: Int
    private let state: Mutex<State>
    private let changed: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    /// Creates pushes, each to a device of its own, with the event loop that runs the retries.
    init(count: Int, eventLoop: any EventLoop) {
        total = count
        self.eventLoop = eventLoop
        state = Mutex(State(waiting: (1...count).map(Self.job)))
        (changed, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The counts so far.
    var counts: Counts { state.withLock { $0.counts } }

    /// Sends until all are accepted, the provider reports that it cannot, there is nothing more to wait for, or the
    /// time is up.
    func send(
        over provider: any PushProvider,
        within limit: Duration,
        until isOver: @escaping @Sendable (Counts) -> Bool
    ) async {
        state.withLock { $0.provider = provider }
        provider.wake()
        let (total, changed, change) = (total, changed, change)
        let timer = eventLoop.scheduleTask(in: .nanoseconds(Int64(seconds(limit) * 1e9))) { change.finish() }
        for await _ in changed {
            let counts = self.counts
            if counts.accepted.count + counts.failed.count == total || isOver(counts) { break }
        }
        timer.cancel()
        state.withLock { $0.provider = nil }
    }

    func nextPushes(capacity: Int, into pushes: inout [PushJob]) {
        state.withLock { state in
            for _ in 0..<min(capacity, state.waiting.count) {
                let job = state.waiting.removeLast()
                state.jobs[job.delivery] = job
                state.counts.sent += 1
                pushes.append(job)
            }
        }
    }

    func receive(_ responses: [PushResult]) {
        let provider = state.withLock { state in
            var isAtOnce = false
            for result in responses {
                guard let job = state.jobs.removeValue(forKey: result.delivery) else { continue }
                switch result.response.outcome {
                case .accepted:
                    state.counts.accepted.insert(job.token)
                case .retry(let seconds, _):
                    state.waiting.append(job)
                    if seconds == 0 { isAtOnce = true } else { wakeLater(&state) }
                case .notSent:
                    state.waiting.append(job)
                    wakeLater(&state)
                case .unknown:
                    state.counts.doubts[job.token, default: 0] += 1
                    state.waiting.append(job)
                    wakeLater(&state)
                case .unregistered, .rejected, .misconfigured, .platformMisconfigured:
                    state.counts.failed.append("\(result.response.status) \(result.response.reason ?? "")")
                }
            }
            return isAtOnce ? state.provider : nil
        }
        provider?.wake()
        change.yield()
    }

    func providerChanged(_ provider: PushProviderState) {
        guard case .failed(_, let reason) = provider else { return }
        state.withLock { $0.counts.refusal = reason }
        change.yield()
    }

    private func wakeLater(_ state: inout State) {
        guard !state.isScheduled else { return }
        state.isScheduled = true
        eventLoop.scheduleTask(in: Self.retryDelay) {
            let provider = self.state.withLock { state in
                state.isScheduled = false
                return state.provider
            }
            provider?.wake()
        }
    }

    private static func job(_ number: Int) -> PushJob {
        let now = SystemClock().now
        var event = AgentEvent(
            id: EventID(trusted: "e\(number)"),
            type: .agentMessage,
            consumer: ConsumerID(trusted: "consumer-\(number)")
        )
        event.text = "Your order has shipped and will be with you tomorrow between nine and eleven."
        var ids = MessageIDGenerator()
        return PushJob(
            delivery: DeliveryID(Int64(number)),
            registration: RegistrationID(Int64(number)),
            token: Installation.token(number),
            platform: .ios,
            message: Message(
                PostedEvent(event, ids.next(at: now)),
                brand: BrandID(trusted: Installation.brand),
                conversation: ConversationID(trusted: "conversation-\(number)"),
                sequence: 1,
                acceptedAt: now,
                expiresAt: now.adding(seconds: 3600)
            ),
            badge: 1,
            expiresAt: now.adding(seconds: 3600)
        )
    }
}
