/// How much of something limited each owner holds, so that nobody takes what is there for all.
///
/// A plain value; only owners that hold something are kept.
struct Shares<Owner: Hashable & Sendable>: Sendable {
    private var held: [Owner: Int] = [:]

    /// The owners that hold something.
    var count: Int { held.count }

    /// The amount that an owner holds.
    subscript(owner: Owner) -> Int { held[owner] ?? 0 }

    /// Counts an amount for an owner.
    mutating func take(_ amount: Int = 1, of owner: Owner) { held[owner, default: 0] += amount }

    /// Counts an amount back that was taken before.
    mutating func giveBack(_ amount: Int = 1, of owner: Owner) {
        let left = self[owner] - amount
        held[owner] = left > 0 ? left : nil
    }
}
