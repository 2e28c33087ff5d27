internal import GatewayModel
internal import GuardedHTTP

/// The bytes of request bodies, shared among callers by address and by brand; a plain value.
struct BodyShares: Sendable {
    /// The reserved bytes.
    private(set) var taken = 0
    private let limit: Int
    private var addresses = Shares<InternetAddress>()
    private var brands = Shares<BrandID>()

    /// Creates an empty budget.
    ///
    /// - Parameter limit: The maximum number of bytes.
    init(limit: Int) { self.limit = limit }

    /// Whether there is room for more bytes of an owner.
    func admits(_ bytes: Int, of owner: BodyOwner) -> Bool {
        let free = limit - taken
        guard bytes <= free else { return false }
        if let address = owner.address, !addresses.admits(bytes, of: address.network, free: free, of: limit) {
            return false
        }
        guard let brand = owner.brand else { return true }
        return brands.admits(bytes, of: brand, free: free, of: limit)
    }

    /// Reserves room for bytes; false when there is none.
    mutating func take(_ bytes: Int, of owner: BodyOwner) -> Bool {
        guard admits(bytes, of: owner) else { return false }
        taken += bytes
        if let address = owner.address { addresses.take(bytes, of: address.network) }
        if let brand = owner.brand { brands.take(bytes, of: brand) }
        return true
    }

    /// Releases room that was reserved.
    mutating func release(_ bytes: Int, of owner: BodyOwner) {
        taken -= bytes
        if let address = owner.address { addresses.release(bytes, of: address.network) }
        if let brand = owner.brand { brands.release(bytes, of: brand) }
    }
}
