internal import GatewayModel
internal import Synchronization

/// Slots of one kind, such as request slots, shared among callers by address and by brand; usable from any thread.
final class SharedSlots: Sendable {
    private let shares: Mutex<SlotShares>

    /// Creates free slots.
    ///
    /// - Parameters:
    ///   - limit: The number of slots.
    ///   - perAddress: The maximum number of slots of one address.
    init(limit: Int, perAddress: Int) { shares = Mutex(SlotShares(limit: limit, perAddress: perAddress)) }

    /// Rejects a caller that would get no slot, without taking one.
    ///
    /// - Parameter address: The caller's share; nil for a caller without one.
    /// - Throws: The reason for which it would get none.
    func check(_ address: AddressShare?) throws(SlotRejection) {
        if let rejection = shares.withLock({ $0.rejection(of: address) }) { throw rejection }
    }

    /// Takes a slot.
    ///
    /// - Parameter address: The caller's share; nil for a caller without one.
    /// - Returns: The slot, which must be released.
    /// - Throws: The reason for which there is none.
    func take(_ address: AddressShare?) throws(SlotRejection) -> Slot {
        if let rejection = shares.withLock({ $0.take(address) }) { throw rejection }
        return Slot(self, address)
    }

    /// One slot that a caller holds; usable from any thread.
    final class Slot: Sendable {
        private let slots: SharedSlots
        private let address: AddressShare?
        private let state = Mutex(State())

        private struct State {
            var isHeld = true
            var brand: BrandID?
        }

        fileprivate init(_ slots: SharedSlots, _ address: AddressShare?) {
            self.slots = slots
            self.address = address
        }

        /// Counts the slot for a brand; does nothing the second time.
        ///
        /// - Parameters:
        ///   - brand: The brand.
        ///   - isOnly: Whether there are no other brands to leave room for.
        /// - Throws: `SlotRejection.brand` when the brand holds its share.
        func claim(_ brand: BrandID, isOnly: Bool) throws(SlotRejection) {
            let isClaimed = state.withLock { state in
                guard state.isHeld, state.brand == nil else { return true }
                // The inner one of the two locks; no other lock is taken under it.
                guard slots.shares.withLock({ $0.claim(brand, isOnly: isOnly) }) else { return false }
                state.brand = brand
                return true
            }
            if !isClaimed { throw .brand }
        }

        /// Releases the slot; does nothing the second time.
        func release() {
            state.withLock { state in
                guard state.isHeld else { return }
                state.isHeld = false
                slots.shares.withLock { $0.release(address, state.brand) }
            }
        }
    }
}
