/// A consumer's or conversation's id within a brand, as a key.
struct BrandedName: Hashable {
    var brand: Int64
    var id: String
}
