import Foundation

@testable import SwitchboardClient

/// Clocks that stand still until the test advances them; waits that the test does not care about end at once.
final class TestClock: ClientClock {
    private struct Sleeper: Sendable {
        var deadline: Duration
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var now = Date(timeIntervalSince1970: 1_767_323_045)
        var uptime = Duration.seconds(100)
        var sleepers: [Int: Sleeper] = [:]
        var sleeps: [Duration] = []
        var last = 0
        var expected: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Locked(State())
    private let skips: @Sendable (Duration) -> Bool

    /// Creates a clock.
    ///
    /// - Parameter skips: The waits that end at once, with both clocks advanced.
    init(skips: @escaping @Sendable (Duration) -> Bool = { $0 <= .seconds(16) }) { self.skips = skips }

    var now: Date { state.withLock { $0.now } }
    var uptime: Duration { state.withLock { $0.uptime } }
    /// Every wait so far.
    var sleeps: [Duration] { state.withLock { $0.sleeps } }

    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        if skips(duration) {
            state.withLock { $0.sleeps.append(duration) }
            advance(by: duration)
            await Task.yield()
            return
        }
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
                    state.sleeps.append(duration)
                    state.sleepers[number] = Sleeper(deadline: state.uptime + duration, continuation: continuation)
                    guard let expected = state.expected, state.sleepers.count >= expected.count else { return nil }
                    state.expected = nil
                    return expected.continuation
                }
                waiting?.resume()
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func cancel(_ number: Int) {
        state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation.resume(throwing: CancellationError())
    }

    /// Advances both clocks and ends the waits that are over.
    func advance(by duration: Duration) {
        let due = state.withLock { state -> [Sleeper] in
            state.uptime += duration
            state.now += TimeInterval(duration.components.seconds)
            let due = state.sleepers.filter { $0.value.deadline <= state.uptime }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Moves only the wall clock, as when it is set.
    func jump(by seconds: TimeInterval) { state.withLock { $0.now += seconds } }

    /// Waits until that many tasks sleep.
    func waitForSleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.expected = (count, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
