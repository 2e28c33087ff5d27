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

        deinit { slots.places.withLock { $0.giveBack(brand) } }
    }

    private let places: Mutex<FairPlaces<String>>

    init(limit: Int, brandLimit: Int) {
        places = Mutex(FairPlaces(capacity: limit, capacityPerOwner: brandLimit))
    }

    /// Takes a slot; nil when there is none for the brand.
    func take(_ brand: String) -> Slot? { places.withLock { $0.take(brand) } ? Slot(self, brand) : nil }
}
