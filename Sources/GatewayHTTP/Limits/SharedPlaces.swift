internal import Synchronization

/// Places of one kind, such as request slots, that callers share by address; any thread.
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
        private let isHeld = Atomic(true)

        fileprivate init(_ places: SharedPlaces, _ address: AddressShare?) {
            self.places = places
            self.address = address
        }

        /// Gives it back; does nothing the second time.
        func giveBack() {
            guard isHeld.exchange(false, ordering: .relaxed) else { return }
            places.shares.withLock { $0.giveBack(address) }
        }
    }
}
