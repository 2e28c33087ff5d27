internal import GatewayModel

/// What was revoked since the start, by the names that tokens give it, so that they are told `revoked`; after a restart, and
/// when many more were revoked since, they are unknown.
struct RevokedNames<Name: Hashable & Sendable>: Sendable {
    /// How many names are kept: more than any instance changes within the life of a token, and little to hold in memory.
    static var limit: Int { 4096 }

    private var brands: [Name: BrandID] = [:]
    private var order: [Name] = []

    /// Remembers a name as a brand's, in the place of the oldest one when there are too many.
    mutating func insert(_ name: Name, of brand: BrandID) {
        if brands.updateValue(brand, forKey: name) == nil { order.append(name) }
        if order.count > Self.limit { brands[order.removeFirst()] = nil }
    }

    /// Forgets a brand's names.
    mutating func removeAll(of brand: BrandID) {
        brands = brands.filter { $0.value != brand }
        order.removeAll { brands[$0] == nil }
    }

    /// Whether a name was anybody's.
    func contains(_ name: Name) -> Bool { brands[name] != nil }

    /// Whether a name was a brand's.
    func contains(_ name: Name, of brand: BrandID) -> Bool { brands[name] == brand }
}
