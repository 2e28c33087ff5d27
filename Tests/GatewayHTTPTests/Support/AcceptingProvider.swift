import GatewayModel
import PushProviders

/// A provider that accepts every push at once, except those to tokens that begin with `bad` or `dead`.
final class AcceptingProvider: PushProvider {
    private let source: any PushSource
    private let clock: any GatewayClock

    init(source: any PushSource, clock: any GatewayClock) {
        self.source = source
        self.clock = clock
    }

    func wake() {
        var jobs: [PushJob] = []
        source.nextPushes(capacity: 100, into: &jobs)
        guard !jobs.isEmpty else { return }
        source.receive(
            jobs.map { job in
                let (outcome, status, reason): (PushOutcome, Int, String?) =
                    if job.token.hasPrefix("bad") {
                        (.rejected(token: .keep), 400, "TopicDisallowed")
                    } else if job.token.hasPrefix("dead") {
                        (.unregistered(since: nil), 410, "Unregistered")
                    } else {
                        (.accepted(providerID: "p-\(job.delivery)"), 200, nil)
                    }
                return PushResult(
                    delivery: job.delivery,
                    response: PushResponse(
                        outcome: outcome,
                        status: status,
                        reason: reason,
                        badge: job.badge,
                        sentAt: clock.now,
                        latencyMilliseconds: 1
                    )
                )
            }
        )
    }

    func check() async -> PushProviderVerdict { PushProviderVerdict(isUsable: true, text: "a test") }
    func shutdown(within limit: Duration) async {}
}
