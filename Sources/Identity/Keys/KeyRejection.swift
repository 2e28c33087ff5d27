/// The reason why a key is rejected; the text follows the member's name and contains nothing of the key.
package enum KeyRejection: Error, Sendable, Equatable {
    /// It is not PEM of that kind, or is encrypted.
    case unreadable
    /// A private key in place of a public one.
    case privateKey
    /// A key of another type than the algorithm needs.
    case wrongType(needed: String)
    /// An RSA key with too few or too many bits.
    case wrongSize(bits: Int)
    /// An RSA key with a public exponent that is even, too small or too large.
    case wrongExponent
    /// Its numbers are not a valid key.
    case invalid
    /// It is marked for another use.
    case wrongUse
    /// OpenSSL could not generate one.
    case unavailable

    /// The text for the caller.
    package var text: String {
        switch self {
        case .unreadable: "must be an unencrypted key in PEM"
        case .privateKey: "must be the public key alone: a private key stays with its owner"
        case .wrongType(let needed): "must be \(needed) for the algorithm"
        case .wrongSize(let bits):
            "must have \(AsymmetricKey.rsaBits.lowerBound) to \(AsymmetricKey.rsaBits.upperBound) bits, not \(bits)"
        case .wrongExponent: "must have an odd public exponent from 3 to 2^33"
        case .invalid: "must be a valid key"
        case .wrongUse: "must be a key that verifies signatures of the algorithm"
        case .unavailable: "could not be generated: OpenSSL failed"
        }
    }
}
