/// A consumer's or conversation's id within a brand, as a key.
///
/// Compared by bytes, as the database does: to Swift two texts that look alike are equal, and one consumer would stand in
/// the place of another.
struct BrandedName: Hashable {
    var brand: Int64
    var id: String

    static func == (lhs: BrandedName, rhs: BrandedName) -> Bool {
        lhs.brand == rhs.brand && lhs.id.utf8.elementsEqual(rhs.id.utf8)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(brand)
        // Texts that look alike share a hash, which only costs a comparison.
        hasher.combine(id)
    }
}
