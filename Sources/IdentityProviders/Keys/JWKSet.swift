import GatewayModel
import Identity
import TextFormats

/// The keys of a JWK set (RFC 7517 section 5) that can verify with a supported algorithm; others are skipped.
struct JWKSet: Sendable {
    /// The maximum size of a set: about 100 RSA keys.
    static let maxBytes = 64 << 10
    /// The maximum number of keys in a set: each may be tried for a token without `kid`.
    static let maxKeys = 100

    private let keys: [SignatureAlgorithm: [VerifyingKey]]

    /// Parses a set; nil for anything else, or for a set that is too large.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maxBytes, let json = try? StrictJSON.parse(bytes),
            case .object(let members) = json, case .array(let items)? = members["keys"],
            items.count <= Self.maxKeys
        else { return nil }
        var keys: [SignatureAlgorithm: [VerifyingKey]] = [:]
        for case .object(let key) in items {
            for algorithm in SignatureAlgorithm.allCases {
                if let key = try? VerifyingKey(jwk: key, algorithm: algorithm) {
                    keys[algorithm, default: []].append(key)
                }
            }
        }
        self.keys = keys
    }

    /// Returns the keys of an algorithm; with a `kid` those that have it.
    func keys(_ keyID: String?, _ algorithm: SignatureAlgorithm) -> [VerifyingKey] {
        let keys = keys[algorithm] ?? []
        guard let keyID else { return keys }
        return keys.filter { $0.keyID?.hasSameBytes(as: keyID) ?? false }
    }
}
