internal import GatewayModel

/// The caller whose request body is counted.
struct BodyOwner: Sendable {
    /// The share of its address; nil for a caller without one.
    var address: AddressShare?
    /// Its brand, if its credential names one and there are other brands to leave room for.
    var brand: BrandID?
}
