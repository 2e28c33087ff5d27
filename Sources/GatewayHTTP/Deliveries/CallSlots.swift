internal import Synchronization

/// Counts calls that hold something for long, for all brands together and for each; any thread.
final class CallSlots: Sendable {
    private struct Counts {
        var all = 0
        var byBrand: [String: Int] = [:]
    }

    /// A place that is given back when nobody holds it any more.
    final class Slot: Sendable {
        private let slots: CallSlots
        private let brand: String

        fileprivate init(_ slots: CallSlots, _ brand: String) {
            self.slots = slots
            self.brand = brand
        }

        deinit { slots.giveBack(brand) }
    }

    private let limit: Int
    private let brandLimit: Int
    private let counts = Mutex(Counts())

    init(limit: Int, brandLimit: Int) {
        self.limit = limit
        self.brandLimit = brandLimit
    }

    /// Takes a place; nil when there is none.
    func take(_ brand: String) -> Slot? {
        let isTaken = counts.withLock { counts in
            guard counts.all < limit, counts.byBrand[brand, default: 0] < brandLimit else { return false }
            counts.all += 1
            counts.byBrand[brand, default: 0] += 1
            return true
        }
        return isTaken ? Slot(self, brand) : nil
    }

    private func giveBack(_ brand: String) {
        counts.withLock { counts in
            counts.all -= 1
            let left = counts.byBrand[brand, default: 0] - 1
            counts.byBrand[brand] = left > 0 ? left : nil
        }
    }
}
