import Delivery
import GatewayModel
import PushProviders
import Synchronization

/// A provider for tests: takes pushes when woken, and returns the results that a test wants, on the caller's thread.
final class ScriptedProvider: PushProvider {
    typealias Responder = @Sendable (PushJob) -> PushOutcome?

    private struct State {
        var taken: [PushJob] = []
        var unanswered: [PushJob] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<[PushJob], Never>)] = []
        var respond: Responder
        var isOpen = true
    }

    private let source: any PushSource
    private let state: Mutex<State>

    init(source: any PushSource, respond: @escaping Responder) {
        self.source = source
        state = Mutex(State(respond: respond))
    }

    /// Waits until there are this many pushes, and returns all that were handed over.
    func taken(_ count: Int) async -> [PushJob] {
        await withCheckedContinuation { continuation in
            let known: [PushJob]? = state.withLock { state in
                if state.taken.count >= count { return state.taken }
                state.waiters.append((count, continuation))
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    /// Reports a state of its connection.
    func report(_ state: PushProviderState) { source.providerChanged(state) }

    var takenCount: Int { state.withLock { $0.taken.count } }

    /// Delivers the results that the script left open.
    func respondToAll(_ outcome: PushOutcome) {
        let jobs = state.withLock { state in
            defer { state.unanswered = [] }
            return state.unanswered
        }
        source.receive(jobs.map { Self.result($0, outcome) })
    }

    func wake() {
        var jobs: [PushJob] = []
        repeat {
            guard state.withLock({ $0.isOpen }) else { return }
            jobs = []
            source.nextPushes(capacity: 8, into: &jobs)
            let respond = state.withLock { $0.respond }
            var results: [PushResult] = []
            var open: [PushJob] = []
            for job in jobs {
                if let outcome = respond(job) { results.append(Self.result(job, outcome)) } else { open.append(job) }
            }
            let ready = state.withLock { state in
                state.taken += jobs
                state.unanswered += open
                let taken = state.taken
                let ready = state.waiters.filter { $0.count <= taken.count }
                state.waiters.removeAll { $0.count <= taken.count }
                return ready.map { ($0.continuation, taken) }
            }
            for (continuation, taken) in ready { continuation.resume(returning: taken) }
            if !results.isEmpty { source.receive(results) }
        } while !jobs.isEmpty
    }

    func check() async -> PushProviderVerdict { PushProviderVerdict(isUsable: true, text: "scripted") }

    func shutdown(within limit: Duration) async {
        state.withLock { $0.isOpen = false }
        respondToAll(.unknown)
    }

    private static func result(_ job: PushJob, _ outcome: PushOutcome) -> PushResult {
        let status =
            switch outcome {
            case .accepted: 200
            case .unregistered: 410
            case .retry: 503
            case .rejected: 400
            case .misconfigured: 403
            case .platformMisconfigured: 401
            case .unknown, .notSent: 0
            }
        return PushResult(
            delivery: job.delivery,
            response: PushResponse(
                outcome: outcome,
                status: status,
                reason: nil,
                badge: job.badge,
                sentAt: SystemClock().now,
                latencyMilliseconds: 1
            )
        )
    }
}
