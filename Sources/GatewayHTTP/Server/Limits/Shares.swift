/// The amounts of a limited resource that each owner holds, so that no owner uses up all of it.
///
/// The resource is shared by dynamic thresholds (Choudhury and Hahne, 1998), as in the delivery core's queue. An owner
/// may hold at most ``factor`` times the amount that is then still free, so that a single owner uses four fifths and
/// there is always some for a newcomer; and at most half of all while others hold something. A plain value; only owners
/// that hold something are stored.
struct Shares<Owner: Hashable & Sendable>: Sendable {
    /// The multiple of the free amount that one owner may hold.
    static var factor: Int { 4 }

    private var held: [Owner: Int] = [:]

    /// The owners that hold something.
    var count: Int { held.count }

    /// The amount that an owner holds.
    subscript(owner: Owner) -> Int { held[owner] ?? 0 }

    /// Whether an owner may take an amount of the common resource.
    ///
    /// - Parameters:
    ///   - amount: The amount, 1 or more.
    ///   - owner: The owner.
    ///   - free: The amount that nobody holds.
    ///   - limit: The total amount.
    /// - Returns: True for every owner that holds nothing yet, if the amount is free.
    func admits(_ amount: Int, of owner: Owner, free: Int, of limit: Int) -> Bool {
        guard amount <= free else { return false }
        let mine = self[owner]
        guard mine > 0 else { return true }
        let isAlone = held.count == 1
        return mine + amount <= Self.factor * (free - amount) && (isAlone || mine + amount <= limit / 2)
    }

    /// Adds an amount to an owner.
    mutating func take(_ amount: Int = 1, of owner: Owner) { held[owner, default: 0] += amount }

    /// Subtracts an amount that was added before.
    mutating func release(_ amount: Int = 1, of owner: Owner) {
        guard let place = held.index(forKey: owner) else { return }
        if held.values[place] > amount { held.values[place] -= amount } else { held.remove(at: place) }
    }
}
