/// Places that owners take and hold, such as streams that are open, with a share for everybody who comes.
///
/// Only an owner that holds none may take a place of the last half, so that however much some hold, a newcomer gets one as
/// long as fewer than half as many owners as there are places hold any. A plain value; an owner that holds none costs
/// nothing.
package struct FairPlaces<Owner: Hashable & Sendable>: Sendable {
    /// How many places are held.
    package private(set) var count = 0

    private let capacity: Int
    private let capacityPerOwner: Int
    private var held: [Owner: Int] = [:]

    /// Makes free places.
    ///
    /// - Parameters:
    ///   - capacity: How many there are.
    ///   - capacityPerOwner: How many one owner may hold at most.
    package init(capacity: Int, capacityPerOwner: Int = .max) {
        self.capacity = capacity
        self.capacityPerOwner = capacityPerOwner
    }

    /// The places that an owner holds.
    ///
    /// - Parameter owner: The owner.
    package subscript(owner: Owner) -> Int { held[owner] ?? 0 }

    /// Takes a place.
    ///
    /// - Parameter owner: Who takes it.
    /// - Returns: False when there is none for this owner; otherwise it must be given back.
    package mutating func take(_ owner: Owner) -> Bool {
        let mine = self[owner]
        guard mine < capacityPerOwner, count < (mine == 0 ? capacity : capacity / 2) else { return false }
        held[owner] = mine + 1
        count += 1
        return true
    }

    /// Gives places back that were taken.
    ///
    /// - Parameters:
    ///   - owner: Who took them.
    ///   - number: How many of its places.
    package mutating func giveBack(_ owner: Owner, _ number: Int = 1) {
        let given = min(number, self[owner])
        assert(given == number, "a place that was not taken")
        let left = self[owner] - given
        held[owner] = left > 0 ? left : nil
        count -= given
    }
}
