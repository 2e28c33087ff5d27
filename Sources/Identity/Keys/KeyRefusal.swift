/// Why a key was not taken; the text follows the member's name and holds nothing of the key.
package enum KeyRefusal: Error, Sendable, Equatable {
    /// It is not PEM of that kind, or encrypted.
    case unreadable
    /// A private key where a public one belongs.
    case privateKey
    /// Of another type than the algorithm needs.
    case wrongType(needed: String)
    /// RSA with fewer or more bits than are taken.
    case wrongSize(bits: Int)
    /// RSA with a public exponent that is even, too small or too large.
    case wrongExponent
    /// Its numbers are no key.
    case invalid
    /// It says of itself that it is for something else.
    case wrongUse
    /// OpenSSL could not make one.
    case unavailable

    /// What is wrong, for the caller.
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
        case .unavailable: "must be made by OpenSSL, which failed"
        }
    }
}
