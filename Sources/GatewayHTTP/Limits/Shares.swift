/// How much of something limited each owner holds, so that nobody takes what is there for all.
///
/// Room that all owners may use is shared by dynamic thresholds (Choudhury and Hahne, 1998), as in the delivery core's queue: an
/// owner may hold at most ``factor`` times the room that is then still free, so that one alone uses four fifths and there is
/// always some for a newcomer; and at most half of all while others hold something. A plain value; only owners that hold
/// something are kept.
struct Shares<Owner: Hashable & Sendable>: Sendable {
    /// How many times the room that is left one owner may hold.
    static var factor: Int { 4 }

    private var held: [Owner: Int] = [:]

    /// The owners that hold something.
    var count: Int { held.count }

    /// The amount that an owner holds.
    subscript(owner: Owner) -> Int { held[owner] ?? 0 }

    /// Whether an owner may take an amount of a room that all owners use.
    ///
    /// - Parameters:
    ///   - amount: The amount, 1 or more.
    ///   - owner: The owner.
    ///   - free: The room that nobody holds.
    ///   - limit: The whole room.
    /// - Returns: True for every owner that holds nothing yet, if the amount fits at all.
    func admits(_ amount: Int, of owner: Owner, free: Int, of limit: Int) -> Bool {
        guard amount <= free else { return false }
        let mine = self[owner]
        guard mine > 0 else { return true }
        let isAlone = held.count == 1
        return mine + amount <= Self.factor * (free - amount) && (isAlone || mine + amount <= limit / 2)
    }

    /// Counts an amount for an owner.
    mutating func take(_ amount: Int = 1, of owner: Owner) { held[owner, default: 0] += amount }

    /// Counts an amount back that was taken before.
    mutating func giveBack(_ amount: Int = 1, of owner: Owner) {
        guard let place = held.index(forKey: owner) else { return }
        if held.values[place] > amount { held.values[place] -= amount } else { held.remove(at: place) }
    }
}
