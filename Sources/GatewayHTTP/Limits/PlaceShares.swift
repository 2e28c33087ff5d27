internal import GatewayModel
internal import GuardedHTTP

/// Places of one kind, such as request slots, that callers share by address and by brand; a plain value.
struct PlaceShares: Sendable {
    /// Places that are taken.
    private(set) var taken = 0
    private let limit: Int
    private let addressLimit: Int
    private var addresses = Shares<InternetAddress>()
    private var brands = Shares<BrandID>()

    /// Makes free places.
    ///
    /// - Parameters:
    ///   - limit: How many there are.
    ///   - perAddress: How many of them one address may hold.
    init(limit: Int, perAddress: Int) {
        self.limit = limit
        addressLimit = perAddress
    }

    /// The reason why a caller would get no place; nil when it would get one.
    ///
    /// - Parameter address: The caller's share; nil for one without.
    /// - Returns: The limit that it has reached.
    func refusal(of address: AddressShare?) -> PlaceRefusal? {
        if taken >= limit { return .full }
        guard let address else { return nil }
        return addresses[address.network] < address.part(of: addressLimit) ? nil : .address
    }

    /// Takes a place; what is returned is why there is none.
    mutating func take(_ address: AddressShare?) -> PlaceRefusal? {
        if let refusal = refusal(of: address) { return refusal }
        taken += 1
        if let address { addresses.take(of: address.network) }
        return nil
    }

    /// Counts a place that was taken for a brand, once it is known whose it is.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - isOnly: Whether there is no other brand to leave room for.
    /// - Returns: False when the brand holds its share; the place is not the brand's then.
    mutating func claim(_ brand: BrandID, isOnly: Bool) -> Bool {
        // The place itself is free for the one that asks for it.
        guard isOnly || brands.admits(1, of: brand, free: limit - taken + 1, of: limit) else { return false }
        brands.take(of: brand)
        return true
    }

    /// Gives a place back that was taken.
    ///
    /// - Parameters:
    ///   - address: What it was taken with.
    ///   - brand: The brand that claimed it.
    mutating func giveBack(_ address: AddressShare?, _ brand: BrandID?) {
        taken -= 1
        if let address { addresses.giveBack(of: address.network) }
        if let brand { brands.giveBack(of: brand) }
    }
}
