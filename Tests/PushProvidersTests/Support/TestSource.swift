import GatewayModel
import PushProviders
import Synchronization
import TestSupport

/// A lane with the pushes that the test adds.
final class TestSource: PushSource {
    private struct State {
        var jobs: [PushJob] = []
        var taken: [DeliveryID: PushJob] = [:]
        var lastDelivery: Int64 = 0
    }

    let responses = Mailbox<PushResult>()
    let states = Mailbox<PushProviderState>()
    private let state = Mutex(State())

    /// Adds pushes; the test must wake the provider.
    func add(
        _ count: Int = 1,
        message: Message? = TestMessages.message(),
        badge: Int64? = 3,
        token: String? = nil
    ) {
        state.withLock { state in
            for _ in 0..<count {
                state.lastDelivery += 1
                state.jobs.append(
                    PushJob(
                        delivery: DeliveryID(state.lastDelivery),
                        registration: RegistrationID(state.lastDelivery),
                        token: token ?? "ab\(state.lastDelivery)",
                        platform: .ios,
                        message: message,
                        badge: badge,
                        expiresAt: Timestamp(milliseconds: 1_767_323_045_678).adding(seconds: 86_400)
                    )
                )
            }
        }
    }

    /// Requeues a push, as a lane does before a resend.
    func addAgain(_ delivery: DeliveryID) {
        state.withLock { state in
            if let job = state.taken[delivery] { state.jobs.append(job) }
        }
    }

    var waiting: Int { state.withLock { $0.jobs.count } }

    func nextPushes(capacity: Int, into pushes: inout [PushJob]) {
        state.withLock { state in
            for job in state.jobs.prefix(capacity) {
                state.taken[job.delivery] = job
                pushes.append(job)
            }
            state.jobs.removeFirst(min(capacity, state.jobs.count))
        }
    }

    func receive(_ responses: [PushResult]) {
        for response in responses { self.responses.put(response) }
    }

    func providerChanged(_ state: PushProviderState) {
        states.put(state)
    }
}
