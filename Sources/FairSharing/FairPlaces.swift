/// Places that owners take and hold, such as open streams, with a fair share for each owner.
///
/// Only an owner that holds none may take a place of the last half. So a newcomer gets one, however much some hold, as
/// long as fewer than half as many owners as there are places hold any. A plain value; an owner that holds none costs
/// nothing.
package struct FairPlaces<Owner: Hashable & Sendable>: Sendable {
    /// The number of places that are held.
    package private(set) var count = 0

    private let capacity: Int
    private let capacityPerOwner: Int
    private var held: [Owner: Int] = [:]

    /// Creates free places.
    ///
    /// - Parameters:
    ///   - capacity: The number of places.
    ///   - capacityPerOwner: The upper bound for one owner.
    package init(capacity: Int, capacityPerOwner: Int = .max) {
        self.capacity = capacity
        self.capacityPerOwner = capacityPerOwner
    }

    /// The number of places that an owner holds.
    ///
    /// - Parameter owner: The owner.
    package subscript(owner: Owner) -> Int { held[owner] ?? 0 }

    /// Takes a place.
    ///
    /// - Parameter owner: The owner that takes it.
    /// - Returns: False when none is free for this owner; otherwise the owner must release it with ``giveBack(_:_:)``.
    package mutating func take(_ owner: Owner) -> Bool {
        let mine = self[owner]
        guard mine < capacityPerOwner, count < (mine == 0 ? capacity : capacity / 2) else { return false }
        held[owner] = mine + 1
        count += 1
        return true
    }

    /// Releases places that were taken.
    ///
    /// - Parameters:
    ///   - owner: The owner that took them.
    ///   - number: The number of places to release.
    package mutating func giveBack(_ owner: Owner, _ number: Int = 1) {
        let given = min(number, self[owner])
        assert(given == number, "a released place was never taken")
        let left = self[owner] - given
        held[owner] = left > 0 ? left : nil
        count -= given
    }
}
