import GatewayModel
import NIOCore
import ProcessHarness
import PushProviders
import Synchronization

/// A source that provides jobs at even intervals, independent of responses, and records their latencies.
///
/// A latency counts from the push's due time, so that a sender that falls behind shows it.
final class PacedJobSource: PushSource {
    /// The interval of bursts: `h2load` sends due requests every 10 ms (`--rps`); ours must be the same.
    static let burstMilliseconds = 10

    private struct State {
        var due = 0
        var handedOut = 0
        var responded = 0
        var accepted = 0
        /// The due time of the first burst.
        var start = NIODeadline.now()
        var latencies: [Double] = []
        var whenDone: (@Sendable () -> Void)?
    }

    private let jobs: JobMaker
    /// The number of pushes before the measurement: until the first is accepted APNs allows only one stream.
    private let warmUp: Int
    private let perBurst: Int
    private let bursts: Int
    private let state = Mutex(State())

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - jobs: Makes the jobs.
    ///   - rate: Pushes per second.
    ///   - seconds: The duration.
    init(_ jobs: JobMaker, rate: Int, seconds: Int) {
        self.jobs = jobs
        let burstsPerSecond = 1000 / Self.burstMilliseconds
        perBurst = max(rate / burstsPerSecond, 1)
        bursts = seconds * burstsPerSecond
        warmUp = perBurst
    }

    /// The number of measured pushes.
    var count: Int { perBurst * bursts }

    /// Sends the warm-up pushes, then the bursts.
    ///
    /// - Parameters:
    ///   - provider: The sender.
    ///   - eventLoop: The event loop of the timer: the provider's own, as `h2load` has one for everything.
    /// - Returns: The number of accepted ones of ``count``, and the latency of each in seconds.
    func run(_ provider: any PushProvider, on eventLoop: any EventLoop) async -> (accepted: Int, latencies: [Double]) {
        await finish(warmUp) { provider.wake() }
        let start = NIODeadline.now() + .milliseconds(20)
        state.withLock { state in
            state.start = start
            state.accepted = 0
            state.latencies.reserveCapacity(count)
        }
        await finish(warmUp + count) { self.release(0, provider, eventLoop, start) }
        return state.withLock { ($0.accepted, $0.latencies) }
    }

    private func release(_ burst: Int, _ provider: any PushProvider, _ eventLoop: any EventLoop, _ start: NIODeadline) {
        guard burst < bursts else { return }
        eventLoop.scheduleTask(deadline: start + .milliseconds(Int64(burst * Self.burstMilliseconds))) {
            self.state.withLock { $0.due = self.warmUp + (burst + 1) * self.perBurst }
            provider.wake()
            self.release(burst + 1, provider, eventLoop, start)
        }
    }

    /// Waits until that many have a result.
    private func finish(_ responses: Int, _ begin: () -> Void) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.due = max(state.due, warmUp)
                state.whenDone = { continuation.resume() }
            }
            begin()
        }
    }

    func nextPushes(capacity: Int, into pushes: inout [PushJob]) {
        let range = state.withLock { state in
            let first = state.handedOut
            state.handedOut = min(first + capacity, state.due)
            return first..<state.handedOut
        }
        for number in range { pushes.append(jobs.job(number)) }
    }

    func receive(_ responses: [PushResult]) {
        let now = NIODeadline.now()
        let done: (@Sendable () -> Void)? = state.withLock { state in
            for result in responses {
                if case .accepted = result.response.outcome { state.accepted += 1 }
                let number = Int(result.delivery.rawValue) - warmUp
                guard number >= 0 else { continue }
                let due = state.start + .milliseconds(Int64(number / perBurst * Self.burstMilliseconds))
                state.latencies.append(Double((now - due).nanoseconds) / 1e9)
            }
            state.responded += responses.count
            guard state.responded == warmUp || state.responded == warmUp + count else { return nil }
            defer { state.whenDone = nil }
            return state.whenDone
        }
        done?()
    }

    func providerChanged(_ state: PushProviderState) { SenderCommand.report(state) }
}
