import GatewayModel
import GatewayStorage
import Messaging
import Synchronization

/// Notes which windows it was told of.
final class TestPresence: WindowPresence {
    private let notes = Mutex<[String]>([])

    /// What it was told, in order: `+` or `-`, the consumer, and the device or `any`.
    var told: [String] { notes.withLock { $0 } }

    func windowOpened(_ name: ConsumerName, device: DeviceID?) { note("+", name, device) }

    func windowClosed(_ name: ConsumerName, device: DeviceID?) async { note("-", name, device) }

    /// Waits until it was told something; false when it never is.
    func isTold(_ note: String) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(30)
        while !told.contains(note) {
            if ContinuousClock.now > deadline { return false }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return true
    }

    private func note(_ sign: String, _ name: ConsumerName, _ device: DeviceID?) {
        notes.withLock { $0.append("\(sign) \(name.consumer.rawValue) \(device?.rawValue ?? "any")") }
    }
}
