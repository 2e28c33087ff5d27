package import GatewayModel
internal import PushPayloads
package import PushProviders
internal import Synchronization
internal import TextFormats

/// Creates the provider of a lane with the current credential; it does not connect before it is woken.
package typealias ProviderMaker =
    @Sendable (LaneKey, AppSettings, Brand, any PushSource) throws(PushCredentialError) -> any PushProvider

/// Sends one push to one device, by default a silent one, with its own provider and not through a lane: nothing is stored
/// or counted, and a paused or broken lane does not delay it.
struct SelfCheck {
    /// The result of a self-check.
    struct Result: Sendable, Equatable {
        var outcome: String
        var verdict: String
        var response: PushResponse?
    }

    let lane: LaneKey
    let app: AppSettings
    let brand: Brand
    let clock: any GatewayClock
    /// Whether the caller is the instance's administrator, who gets all details.
    ///
    /// Other callers get a short verdict, so that they cannot probe which hosts and ports the gateway can reach.
    let isForAdmin: Bool
    /// The timeout for the provider's response, including the connection set-up.
    var timeout = Duration.seconds(10)
    /// The `data` by which the app recognizes the push.
    var data = SelfCheckPush.data
    /// The push message id; nil draws one.
    var messageID: MessageID?
    /// The time for which the provider may store the push, in seconds: 0 attempts it once.
    var lifetimeSeconds: Int64 = 0

    /// The push in place of a silent one; its token is ignored.
    var push: PushJob?

    /// Sends the push and waits for its response.
    func run(token: String, makeProvider: ProviderMaker) async throws(PushCredentialError) -> Result {
        var job = push ?? job(token: token)
        job.token = token
        let source = OnePush(job) { self.result(of: $0, $1) }
        let provider = try makeProvider(lane, app, brand, source)
        provider.wake()
        let result = await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // Ended early by cancellation when the response came first.
                try? await Task.sleep(for: timeout)
                source.finish(self.lateResult)
            }
            let result = await source.result()
            group.cancelAll()
            return result
        }
        await provider.shutdown(within: .seconds(1))
        return result
    }

    /// At an endpoint that a tenant set, the response does not reveal how far the connection came.
    private var hidesCause: Bool { !isForAdmin && app.endpointsBy == .tenant }

    private static let hiddenCause = Result(
        outcome: "unreachable",
        verdict: "The provider cannot be reached at the app's endpoints, or does not accept the app's credential.",
        response: nil
    )

    private var lateResult: Result {
        hidesCause
            ? Self.hiddenCause
            : Result(
                outcome: "timeout",
                verdict: "The provider did not respond within \(timeout.components.seconds) seconds.",
                response: nil
            )
    }

    private func result(of fault: PushProviderFault, _ reason: String) -> Result {
        if hidesCause { return Self.hiddenCause }
        let verdict =
            switch fault {
            case .unreachable: "The provider cannot be reached"
            case .proxy: "The provider cannot be reached through the gateway's outbound proxy"
            case .credential: "The app's credential cannot be used, or the provider does not accept it"
            }
        return Result(
            outcome: "unreachable",
            verdict: isForAdmin ? "\(verdict): \(reason)." : verdict + ".",
            response: nil
        )
    }

    /// Creates a push without a badge, a sound or a text (R139, R185).
    private func job(token: String) -> PushJob {
        let now = clock.now
        var ids = MessageIDGenerator()
        let id = messageID ?? ids.next(at: now)
        let expiresAt = now.adding(seconds: lifetimeSeconds)
        var event = AgentEvent(
            id: EventID(trusted: "self-check"),
            type: .proactiveMessage,
            consumer: ConsumerID(trusted: "self-check")
        )
        event.kind = .proactive
        event.silent = true
        event.priority = .normal
        event.data = data
        let message = Message(
            PostedEvent(event, id),
            brand: brand.id,
            conversation: ConversationID(trusted: "self-check"),
            sequence: 0,
            acceptedAt: now,
            expiresAt: expiresAt
        )
        return PushJob(
            delivery: DeliveryID(0),
            registration: RegistrationID(0),
            token: token,
            platform: app.defaultPlatform(for: lane.pushType),
            message: message,
            badge: nil,
            expiresAt: expiresAt
        )
    }

    static func result(of response: PushResponse) -> Result {
        let reason = response.reason.map { " (\($0))" } ?? ""
        let (outcome, verdict) =
            switch response.outcome {
            case .accepted: ("accepted", "The provider accepted the push: credential and token work.")
            case .unregistered:
                ("unregistered", "The token is not valid any more\(reason): the app was removed or has a new token.")
            case .retry: ("retry", "The provider could not accept the push now\(reason): try again later.")
            case .rejected(.quarantine):
                ("rejected", "The provider rejected the token\(reason): malformed, or of another app or environment.")
            case .rejected(.keep): ("rejected", "The provider rejected the push\(reason).")
            case .misconfigured:
                ("misconfigured", "The provider rejected the app's credential or set-up\(reason).")
            case .platformMisconfigured:
                (
                    "misconfigured",
                    "The provider cannot reach devices of this platform\(reason): the APNs or Web Push credential in its project is wrong."
                )
            case .unknown: ("unknown", "The connection ended before the provider responded.")
            case .notSent: ("notSent", "The push could not be sent\(reason): try again later.")
            }
        return Result(outcome: outcome, verdict: verdict, response: response)
    }
}

/// Sends one push and waits for its response; usable from any thread.
private final class OnePush: PushSource {
    private struct State {
        var job: PushJob?
        var result: SelfCheck.Result?
        var waiter: CheckedContinuation<SelfCheck.Result, Never>?
    }

    private let state: Mutex<State>
    private let failed: @Sendable (PushProviderFault, String) -> SelfCheck.Result

    init(_ job: PushJob, failed: @escaping @Sendable (PushProviderFault, String) -> SelfCheck.Result) {
        state = Mutex(State(job: job))
        self.failed = failed
    }

    func nextPushes(capacity: Int, into pushes: inout [PushJob]) {
        let job = state.withLock { state in
            defer { state.job = nil }
            return state.job
        }
        if let job { pushes.append(job) }
    }

    func receive(_ responses: [PushResult]) {
        if let response = responses.first?.response { finish(SelfCheck.result(of: response)) }
    }

    func providerChanged(_ state: PushProviderState) {
        guard case .failed(let fault, let reason) = state else { return }
        finish(failed(fault, reason))
    }

    /// Stores the first result; later ones are ignored.
    func finish(_ result: SelfCheck.Result) {
        let waiter = state.withLock { state in
            guard state.result == nil else { return CheckedContinuation<SelfCheck.Result, Never>?.none }
            state.result = result
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: result)
    }

    func result() async -> SelfCheck.Result {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.waiter = continuation }
                return state.result
            }
            if let result { continuation.resume(returning: result) }
        }
    }
}

extension JSONWriter {
    /// Appends the result of a self-check.
    mutating func selfCheck(_ result: SelfCheck.Result) {
        literal(#"{"verdict":"#)
        string(result.verdict)
        member("outcome", result.outcome)
        literal(#","status":"#)
        integer(orNull: result.response.flatMap { $0.status == 0 ? nil : Int64($0.status) })
        member("reason", orNull: result.response?.reason)
        var providerID: String?
        if case .accepted(let id)? = result.response?.outcome { providerID = id }
        member("providerId", orNull: providerID)
        member("latencyMs", orNull: result.response?.latencyMilliseconds)
        literal("}")
    }
}
