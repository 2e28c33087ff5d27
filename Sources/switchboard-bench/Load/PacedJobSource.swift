import GatewayModel
import NIOCore
import ProcessHarness
import PushProviders
import Synchronization

/// Hands jobs out at even moments, whatever the answers do, and keeps how long each took.
///
/// A time counts from the moment when the push should have left, so that a sender that falls behind shows it.
final class PacedJobSource: PushSource {
    /// `h2load` looks every 10 ms what is due (`--rps`), and so sends in bursts; ours must be the same.
    static let burstMilliseconds = 10

    private struct State {
        var due = 0
        var handedOut = 0
        var answered = 0
        var accepted = 0
        /// When the first burst was due.
        var start = NIODeadline.now()
        var latencies: [Double] = []
        var whenDone: (@Sendable () -> Void)?
    }

    private let jobs: JobMaker
    /// Sent before the clock starts: until the first is accepted APNs allows one stream.
    private let warmUp: Int
    private let perBurst: Int
    private let bursts: Int
    private let state = Mutex(State())

    /// Makes a source.
    ///
    /// - Parameters:
    ///   - jobs: Makes the jobs.
    ///   - rate: Pushes a second.
    ///   - seconds: How long.
    init(_ jobs: JobMaker, rate: Int, seconds: Int) {
        self.jobs = jobs
        let burstsPerSecond = 1000 / Self.burstMilliseconds
        perBurst = max(rate / burstsPerSecond, 1)
        bursts = seconds * burstsPerSecond
        warmUp = perBurst
    }

    /// How many are sent, without the first ones that are not counted.
    var count: Int { perBurst * bursts }

    /// Sends the first ones, then the bursts.
    ///
    /// - Parameters:
    ///   - provider: Who sends.
    ///   - eventLoop: Where the clock is: the provider's own, as `h2load` has one for everything.
    /// - Returns: How many of ``count`` were accepted, and the seconds that each took.
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

    /// Waits until so many are answered.
    private func finish(_ answers: Int, _ begin: () -> Void) async {
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

    func receive(_ answers: [PushResult]) {
        let now = NIODeadline.now()
        let done: (@Sendable () -> Void)? = state.withLock { state in
            for answer in answers {
                if case .accepted = answer.answer.outcome { state.accepted += 1 }
                let number = Int(answer.delivery.rawValue) - warmUp
                guard number >= 0 else { continue }
                let due = state.start + .milliseconds(Int64(number / perBurst * Self.burstMilliseconds))
                state.latencies.append(Double((now - due).nanoseconds) / 1e9)
            }
            state.answered += answers.count
            guard state.answered == warmUp || state.answered == warmUp + count else { return nil }
            defer { state.whenDone = nil }
            return state.whenDone
        }
        done?()
    }

    func providerChanged(_ state: PushProviderState) { SenderCommand.report(state) }
}
