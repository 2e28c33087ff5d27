import GatewayModel
import GatewayStorage
import Messaging
import Synchronization

/// Records the notifications about windows.
final class TestPresence: WindowPresence {
    private struct Notes {
        var notified: [String] = []
        var waiters: [(note: String, continuation: AsyncStream<Void>.Continuation)] = []
    }

    private let notes = Mutex(Notes())

    /// The notifications, in order: `+` or `-`, the consumer, and the device or `any`.
    var notified: [String] { notes.withLock { $0.notified } }

    func windowOpened(_ name: ConsumerName, device: DeviceID?) { note("+", name, device) }

    func windowClosed(_ name: ConsumerName, device: DeviceID?) { note("-", name, device) }

    /// Waits for a notification; false when the test's time limit ends a wait in vain.
    func isNotified(_ note: String) async -> Bool {
        let (arrivals, continuation) = AsyncStream<Void>.makeStream()
        let isThere = notes.withLock { notes in
            if notes.notified.contains(note) { return true }
            notes.waiters.append((note, continuation))
            return false
        }
        if isThere { return true }
        for await _ in arrivals { return true }
        return false
    }

    private func note(_ sign: String, _ name: ConsumerName, _ device: DeviceID?) {
        let note = "\(sign) \(name.consumer.rawValue) \(device?.rawValue ?? "any")"
        let waiters = notes.withLock { notes in
            notes.notified.append(note)
            let met = notes.waiters.filter { $0.note == note }
            notes.waiters.removeAll { $0.note == note }
            return met
        }
        for waiter in waiters { waiter.continuation.yield() }
    }
}
