internal import GatewayModel

/// The names of credentials revoked since the start, as tokens use them, so that such tokens are rejected as `revoked`.
///
/// After a restart, and after many more revocations, they are unknown.
struct RevokedNames<Name: Hashable & Sendable>: Sendable {
    /// The maximum of names: more than any instance revokes within the life of a token, at little memory.
    static var limit: Int { 4096 }

    private var brands: [Name: BrandID] = [:]
    private var order: [Name] = []

    /// Inserts a brand's name, in place of the oldest one when there are too many.
    mutating func insert(_ name: Name, of brand: BrandID) {
        if brands.updateValue(brand, forKey: name) == nil { order.append(name) }
        if order.count > Self.limit { brands[order.removeFirst()] = nil }
    }

    /// Removes a brand's names.
    mutating func removeAll(of brand: BrandID) {
        brands = brands.filter { $0.value != brand }
        order.removeAll { brands[$0] == nil }
    }

    /// Returns whether any brand had a name.
    func contains(_ name: Name) -> Bool { brands[name] != nil }

    /// Returns whether a brand had a name.
    func contains(_ name: Name, of brand: BrandID) -> Bool { brands[name] == brand }
}
