internal import GatewayModel
internal import Synchronization

/// Places of one kind, such as request slots, that callers share by address and by brand; any thread.
final class SharedPlaces: Sendable {
    private let shares: Mutex<PlaceShares>

    /// Makes free places.
    ///
    /// - Parameters:
    ///   - limit: How many there are.
    ///   - perAddress: How many of them one address may hold.
    init(limit: Int, perAddress: Int) { shares = Mutex(PlaceShares(limit: limit, perAddress: perAddress)) }

    /// Refuses a caller who would get no place, without taking one.
    ///
    /// - Parameter address: The caller's share; nil for one without.
    /// - Throws: Why it would get none.
    func check(_ address: AddressShare?) throws(PlaceRefusal) {
        if let refusal = shares.withLock({ $0.refusal(of: address) }) { throw refusal }
    }

    /// Takes a place.
    ///
    /// - Parameter address: The caller's share; nil for one without.
    /// - Returns: The place, which must be given back.
    /// - Throws: Why there is none.
    func take(_ address: AddressShare?) throws(PlaceRefusal) -> Place {
        if let refusal = shares.withLock({ $0.take(address) }) { throw refusal }
        return Place(self, address)
    }

    /// One place that a caller holds; any thread.
    final class Place: Sendable {
        private let places: SharedPlaces
        private let address: AddressShare?
        private let state = Mutex(State())

        private struct State {
            var isHeld = true
            var brand: BrandID?
        }

        fileprivate init(_ places: SharedPlaces, _ address: AddressShare?) {
            self.places = places
            self.address = address
        }

        /// Counts it for a brand; does nothing the second time.
        ///
        /// - Parameters:
        ///   - brand: The brand.
        ///   - isOnly: Whether there is no other brand to leave room for.
        /// - Throws: `PlaceRefusal.brand` when the brand holds its share.
        func claim(_ brand: BrandID, isOnly: Bool) throws(PlaceRefusal) {
            let isClaimed = state.withLock { state in
                guard state.isHeld, state.brand == nil else { return true }
                // The inner one of the two locks, under which nothing else is locked.
                guard places.shares.withLock({ $0.claim(brand, isOnly: isOnly) }) else { return false }
                state.brand = brand
                return true
            }
            if !isClaimed { throw .brand }
        }

        /// Gives it back; does nothing the second time.
        func giveBack() {
            state.withLock { state in
                guard state.isHeld else { return }
                state.isHeld = false
                places.shares.withLock { $0.giveBack(address, state.brand) }
            }
        }
    }
}
