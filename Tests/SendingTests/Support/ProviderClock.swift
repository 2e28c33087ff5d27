import GatewayModel
import PushSimulator
import Synchronization
import TestSupport

/// The simulator's clock, which the gateway's clock moves.
final class ProviderClock: Sendable {
    private let gateway: TestClock
    private let ahead = Mutex<Int64>(0)

    init(_ gateway: TestClock) { self.gateway = gateway }

    var now: SimulatorTime { SimulatorTime(milliseconds: gateway.now.milliseconds + ahead.withLock { $0 }) }

    /// Sets the provider's clock ahead of ours: our tokens are then older for the provider.
    func setAhead(seconds: Int64) { ahead.withLock { $0 = seconds * 1000 } }
}
