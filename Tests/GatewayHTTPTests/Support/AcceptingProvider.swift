import GatewayModel
import PushProviders

/// A provider that accepts every push at once, except those to tokens that begin with `bad`; it stores the pushes.
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
                let isBad = job.token.hasPrefix("bad")
                return PushResult(
                    delivery: job.delivery,
                    response: PushResponse(
                        outcome: isBad ? .rejected(token: .keep) : .accepted(providerID: "p-\(job.delivery)"),
                        status: isBad ? 400 : 200,
                        reason: isBad ? "TopicDisallowed" : nil,
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
