internal import Cryptography
internal import GatewayModel

/// An SDK key in memory.
struct SDKKey: Sendable {
    var id: String
    var name: String
    var brand: BrandID
    var app: AppID?
    var algorithm: HMACAlgorithm
    var limits: AssertionLimits
    /// The HMAC key: the secret's UTF-8 bytes.
    var secret: [UInt8]
    var expiresAt: Timestamp?

    /// Returns whether it has not expired.
    func isActive(at now: Timestamp) -> Bool { expiresAt.map { now < $0 } ?? true }

    /// Returns the signature of a text (RFC 7518 section 3.2).
    func signature(of input: [UInt8]) -> Digest {
        switch algorithm {
        case .hs256: HMAC<SHA256>.authenticationCode(for: input, using: secret)
        case .hs384: HMAC<SHA384>.authenticationCode(for: input, using: secret)
        case .hs512: HMAC<SHA512>.authenticationCode(for: input, using: secret)
        }
    }
}
