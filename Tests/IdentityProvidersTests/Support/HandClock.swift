import GatewayModel
import Synchronization

/// A clock that a test sets by hand.
final class HandClock: GatewayClock {
    private let milliseconds = Mutex<Int64>(1_700_000_000_000)

    var now: Timestamp { Timestamp(milliseconds: milliseconds.withLock { $0 }) }

    var monotonicNanoseconds: UInt64 { UInt64(milliseconds.withLock { $0 }) * 1_000_000 }

    func advance(seconds: Int64) { milliseconds.withLock { $0 += seconds * 1000 } }
}

/// Waits for a condition; fails when it is not met in time.
func until(_ what: String, _ holds: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(540)
    while try await !holds() {
        guard ContinuousClock.now < deadline else { throw WaitedInVain(what: what) }
        try Task.checkCancellation()
        await Task.yield()
    }
}

struct WaitedInVain: Error {
    var what: String
}
