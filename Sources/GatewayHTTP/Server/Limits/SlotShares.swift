internal import GatewayModel
internal import GuardedHTTP

/// Slots of one kind, such as request slots, shared among callers by address and by brand; a plain value.
struct SlotShares: Sendable {
    /// The slots that are taken.
    private(set) var taken = 0
    private let limit: Int
    private let addressLimit: Int
    private var addresses = Shares<InternetAddress>()
    private var brands = Shares<BrandID>()

    /// Creates free slots.
    ///
    /// - Parameters:
    ///   - limit: The number of slots.
    ///   - perAddress: The maximum number of slots of one address.
    init(limit: Int, perAddress: Int) {
        self.limit = limit
        addressLimit = perAddress
    }

    /// Returns the reason for which a caller would get no slot; nil when it would get one.
    ///
    /// - Parameter address: The caller's share; nil for a caller without one.
    /// - Returns: The limit that it has reached.
    func rejection(of address: AddressShare?) -> SlotRejection? {
        if taken >= limit { return .full }
        guard let address else { return nil }
        return addresses[address.network] < address.part(of: addressLimit) ? nil : .address
    }

    /// Takes a slot; returns the reason when there is none.
    mutating func take(_ address: AddressShare?) -> SlotRejection? {
        if let rejection = rejection(of: address) { return rejection }
        taken += 1
        if let address { addresses.take(of: address.network) }
        return nil
    }

    /// Counts a slot for a brand, once the brand is known.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - isOnly: Whether there are no other brands to leave room for.
    /// - Returns: False when the brand holds its share; then the slot does not count for the brand.
    mutating func claim(_ brand: BrandID, isOnly: Bool) -> Bool {
        // The slot itself counts as free for this caller.
        guard isOnly || brands.admits(1, of: brand, free: limit - taken + 1, of: limit) else { return false }
        brands.take(of: brand)
        return true
    }

    /// Releases a slot.
    ///
    /// - Parameters:
    ///   - address: The share with which it was taken.
    ///   - brand: The brand for which it was counted.
    mutating func release(_ address: AddressShare?, _ brand: BrandID?) {
        taken -= 1
        if let address { addresses.release(of: address.network) }
        if let brand { brands.release(of: brand) }
    }
}
