import FairSharing
import GatewayModel
import Synchronization

/// The requests to push proxies that are in flight, of all lanes together, with a share for each brand; any thread.
///
/// Each uses a connection, and so a file descriptor.
final class PushProxySlots: Sendable {
    /// The maximum for one lane.
    static let maxPerLane = 16
    /// The maximum for one brand.
    private static let maxPerBrand = 64

    private struct State {
        var slots: FairSlots<BrandID>
        /// The lanes that got none, in order.
        var waiting: [(lane: ObjectIdentifier, wake: @Sendable () -> Void)] = []
    }

    private let state: Mutex<State>

    /// Creates free slots.
    init(capacity: Int) {
        state = Mutex(State(slots: FairSlots(capacity: max(2, capacity), capacityPerOwner: Self.maxPerBrand)))
    }

    /// Takes slots.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - number: The wanted number.
    ///   - lane: The lane; it waits at most once.
    ///   - wake: Called on any thread when a slot may be free, if there was none.
    /// - Returns: The number of slots that were taken.
    func take(
        _ brand: BrandID,
        atMost number: Int,
        for lane: ObjectIdentifier,
        wake: @escaping @Sendable () -> Void
    ) -> Int {
        state.withLock { state in
            var taken = 0
            while taken < number, state.slots.take(brand) { taken += 1 }
            if taken == 0, !state.waiting.contains(where: { $0.lane == lane }) { state.waiting.append((lane, wake)) }
            return taken
        }
    }

    /// Removes a lane that takes no more.
    func leave(_ lane: ObjectIdentifier) {
        state.withLock { $0.waiting.removeAll { $0.lane == lane } }
    }

    /// Releases slots, if only those that a lane was woken for, and wakes the next lane that waits.
    func release(_ brand: BrandID, _ number: Int) {
        let wake: (@Sendable () -> Void)? = state.withLock { state in
            if number > 0 { state.slots.release(brand, number) }
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst().wake
        }
        wake?()
    }
}
