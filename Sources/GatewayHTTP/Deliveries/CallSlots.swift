internal import FairSharing
internal import Synchronization

/// Counts calls that hold something for long, of which each brand has its share; any thread.
final class CallSlots: Sendable {
    /// A place that is given back when nobody holds it any more.
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

    /// Takes a place; nil when there is none for the brand.
    func take(_ brand: String) -> Slot? { places.withLock { $0.take(brand) } ? Slot(self, brand) : nil }
}
