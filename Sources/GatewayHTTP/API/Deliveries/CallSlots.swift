internal import FairSharing
internal import Synchronization

/// Counts long-running calls, of which each brand has a share; usable from any thread.
final class CallSlots: Sendable {
    /// A slot that is released when it is no longer referenced.
    final class Slot: Sendable {
        private let slots: CallSlots
        private let brand: String

        fileprivate init(_ slots: CallSlots, _ brand: String) {
            self.slots = slots
            self.brand = brand
        }

        deinit { slots.fairSlots.withLock { $0.release(brand) } }
    }

    private let fairSlots: Mutex<FairSlots<String>>

    init(limit: Int, brandLimit: Int) {
        fairSlots = Mutex(FairSlots(capacity: limit, capacityPerOwner: brandLimit))
    }

    /// Takes a slot; nil when there is none for the brand.
    func take(_ brand: String) -> Slot? { fairSlots.withLock { $0.take(brand) } ? Slot(self, brand) : nil }
}
