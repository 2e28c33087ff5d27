internal import GatewayModel

/// The caller whose request a body is of.
struct BodyOwner: Sendable {
    /// The share of its address; nil for one without.
    var address: AddressShare?
    /// Its brand, where its credential names one and there are others to leave room for.
    var brand: BrandID?
}
