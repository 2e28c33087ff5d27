import GatewayModel
import Identity
import TextFormats

/// The keys of a JWK set (RFC 7517 section 5) that can verify with an algorithm of ours; others are passed over.
struct JWKSet: Sendable {
    /// Longer sets are not read: 100 RSA keys have about this size.
    static let maxBytes = 64 << 10
    /// Larger sets are not read: each key may be tried for a token without `kid`.
    static let maxKeys = 100

    private let keys: [SignatureAlgorithm: [VerifyingKey]]

    /// Reads a set; nil for what is none, or too large.
    ///
    /// - Parameter bytes: The JSON text.
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

    /// The keys of an algorithm; with a `kid` those that have it.
    func keys(_ keyID: String?, _ algorithm: SignatureAlgorithm) -> [VerifyingKey] {
        let keys = keys[algorithm] ?? []
        guard let keyID else { return keys }
        return keys.filter { $0.keyID?.hasSameBytes(as: keyID) ?? false }
    }
}
