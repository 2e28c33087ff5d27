import Synchronization

/// How many exchanges may run at once; none waits for another.
final class ExchangeSlots: Sendable {
    /// At one provider: one that hangs must not take all.
    static let perProvider = 16
    /// In the instance: each holds a connection and a request of a device.
    static let total = 128

    private let running = Mutex((total: 0, byProvider: [String: Int]()))

    /// Takes a slot.
    ///
    /// - Parameter provider: The credential's id.
    /// - Returns: False when there is none; else it must be given back.
    func take(_ provider: String) -> Bool {
        running.withLock { running in
            let count = running.byProvider[provider] ?? 0
            guard running.total < Self.total, count < Self.perProvider else { return false }
            running.total += 1
            running.byProvider[provider] = count + 1
            return true
        }
    }

    /// Gives a slot back.
    func give(back provider: String) {
        running.withLock { running in
            running.total -= 1
            let count = (running.byProvider[provider] ?? 1) - 1
            running.byProvider[provider] = count == 0 ? nil : count
        }
    }
}
