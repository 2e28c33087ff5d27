import Foundation
import GatewayModel
import ProcessHarness
import PushProviders
import Synchronization

/// A source that provides jobs as fast as the sender pulls them, and counts accepted ones.
final class JobSource: PushSource {
    private struct State {
        var handedOut = 0
        var responded = 0
        var accepted = 0
        var whenDone: (@Sendable (Int) -> Void)?
        var start = ContinuousClock.now
        var acceptedByTime: [Int] = []
    }

    private let jobs: JobMaker
    private let count: Int
    private let state = Mutex(State())

    init(_ jobs: JobMaker, count: Int) {
        self.jobs = jobs
        self.count = count
    }

    /// Sends all jobs.
    ///
    /// - Parameter provider: The sender.
    /// - Returns: The number of accepted pushes, once all have a result.
    func run(_ provider: any PushProvider) async -> Int {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.whenDone = { continuation.resume(returning: $0) }
                state.start = .now
            }
            provider.wake()
        }
    }

    /// The number of accepted pushes in each tenth of a second since the start.
    var acceptedByTime: [Int] { state.withLock { $0.acceptedByTime } }

    func nextPushes(capacity: Int, into pushes: inout [PushJob]) {
        let range = state.withLock { state in
            let first = state.handedOut
            state.handedOut = min(first + capacity, count)
            return first..<state.handedOut
        }
        for number in range { pushes.append(jobs.job(number)) }
    }

    func receive(_ responses: [PushResult]) {
        let done: (@Sendable (Int) -> Void, Int)? = state.withLock { state in
            state.responded += responses.count
            let before = state.accepted
            for result in responses {
                if case .accepted = result.response.outcome { state.accepted += 1 }
            }
            let tenth = min(Int(seconds(ContinuousClock.now - state.start) * 10), 36_000)
            while state.acceptedByTime.count <= tenth { state.acceptedByTime.append(0) }
            state.acceptedByTime[tenth] += state.accepted - before
            guard state.responded == count, let whenDone = state.whenDone else { return nil }
            state.whenDone = nil
            return (whenDone, state.accepted)
        }
        if let (whenDone, accepted) = done { whenDone(accepted) }
    }

    func providerChanged(_ state: PushProviderState) { SenderCommand.report(state) }
}
