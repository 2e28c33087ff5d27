import GatewayModel
import PushSimulator
import Synchronization

/// The clocks of the gateway and of the simulator, which only the test advances.
final class MovableClock: GatewayClock {
    private let elapsed = Mutex<Int64>(0)
    private let ahead = Mutex<Int64>(0)

    private static let start: Int64 = 1_800_000_000_000

    var now: Timestamp { Timestamp(milliseconds: Self.start + elapsed.withLock { $0 }) }
    var monotonicNanoseconds: UInt64 { 1_000_000_000 + UInt64(elapsed.withLock { $0 }) * 1_000_000 }
    var simulated: SimulatorTime { SimulatorTime(milliseconds: now.milliseconds + ahead.withLock { $0 }) }

    /// Sets the provider's clock ahead of ours: our tokens are then older for the provider.
    func setProviderAhead(seconds: Int64) { ahead.withLock { $0 = seconds * 1000 } }

    func advance(seconds: Int64) { elapsed.withLock { $0 += seconds * 1000 } }
}
