import PushSimulator
import Synchronization

/// A wall clock that a test controls.
final class MovableClock: Sendable {
    private let time: Mutex<SimulatorTime>

    init(_ time: SimulatorTime) {
        self.time = Mutex(time)
    }

    var now: SimulatorTime {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }
}
