internal import GatewayModel

/// An SDK key as it is held in memory.
struct SDKKey: Sendable {
    var id: String
    var name: String
    var brand: BrandID
    var app: AppID?
    var algorithm: HMACAlgorithm
    /// The HMAC key: the secret's UTF-8 bytes.
    var secret: [UInt8]
    var expiresAt: Timestamp?
}
