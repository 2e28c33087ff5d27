internal import GatewayModel

/// The caller whose request a body is of.
struct BodyOwner: Sendable {
    /// The share of its address; nil for one without.
    var address: AddressShare?
    /// Its brand, where its credential names one.
    var brand: BrandID?
    /// Whether there is no other brand to leave room for.
    var isOnlyBrand = false
}
