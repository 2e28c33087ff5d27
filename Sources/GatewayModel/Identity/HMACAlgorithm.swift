/// The algorithms of SDK keys (RFC 7518 section 3.2); the raw value is the JWS `alg`.
package enum HMACAlgorithm: String, Sendable, CaseIterable, Codable {
    /// HMAC with SHA-256; the default.
    case hs256 = "HS256"
    /// HMAC with SHA-384.
    case hs384 = "HS384"
    /// HMAC with SHA-512.
    case hs512 = "HS512"

    /// The number of random bytes in a new key: the length of the hash, the minimum of section 3.2.
    package var keyLength: Int {
        switch self {
        case .hs256: 32
        case .hs384: 48
        case .hs512: 64
        }
    }
}
