/// Slots that owners take and hold, such as open streams, with a fair share for each owner.
///
/// Only an owner that holds none may take a slot of the last half. So a newcomer gets one, however much some hold, as
/// long as fewer than half as many owners as there are slots hold any. A plain value; an owner that holds none costs
/// nothing.
package struct FairSlots<Owner: Hashable & Sendable>: Sendable {
    /// The number of slots that are held.
    package private(set) var count = 0

    private let capacity: Int
    private let capacityPerOwner: Int
    private var held: [Owner: Int] = [:]

    /// Creates free slots.
    ///
    /// - Parameters:
    ///   - capacity: The number of slots.
    ///   - capacityPerOwner: The upper bound for one owner.
    package init(capacity: Int, capacityPerOwner: Int = .max) {
        self.capacity = capacity
        self.capacityPerOwner = capacityPerOwner
    }

    /// The number of slots that an owner holds.
    ///
    /// - Parameter owner: The owner.
    package subscript(owner: Owner) -> Int { held[owner] ?? 0 }

    /// Takes a slot.
    ///
    /// - Parameter owner: The owner that takes it.
    /// - Returns: False when none is free for this owner; otherwise the owner must release it with ``release(_:_:)``.
    package mutating func take(_ owner: Owner) -> Bool {
        let mine = self[owner]
        guard mine < capacityPerOwner, count < (mine == 0 ? capacity : capacity / 2) else { return false }
        held[owner] = mine + 1
        count += 1
        return true
    }

    /// Releases slots that were taken.
    ///
    /// - Parameters:
    ///   - owner: The owner that took them.
    ///   - number: The number of slots to release.
    package mutating func release(_ owner: Owner, _ number: Int = 1) {
        let given = min(number, self[owner])
        assert(given == number, "a released place was never taken")
        let left = self[owner] - given
        held[owner] = left > 0 ? left : nil
        count -= given
    }
}
