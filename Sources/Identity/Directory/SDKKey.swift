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
    func signature(of input: [UInt8]) -> [UInt8] {
        let key = SymmetricKey(data: secret)
        return switch algorithm {
        case .hs256: Array(HMAC<SHA256>.authenticationCode(for: input, using: key))
        case .hs384: Array(HMAC<SHA384>.authenticationCode(for: input, using: key))
        case .hs512: Array(HMAC<SHA512>.authenticationCode(for: input, using: key))
        }
    }
}
