internal import Cryptography
internal import TextFormats

/// The algorithms that the simulated identity provider signs with.
package enum SigningAlgorithm: String, CaseIterable, Sendable {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// RSASSA-PSS with SHA-256.
    case ps256 = "PS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
}

/// A key that signs id tokens, with its public half as a JWK (RFC 7517).
struct SigningKey: Sendable {
    private enum Material: Sendable {
        case rsa(RSA.PrivateKey, RSA.Padding)
        case p256(P256.PrivateKey)
    }

    /// The key's id, `kid`.
    let id: String
    let algorithm: SigningAlgorithm
    private let material: Material

    /// Generates a key; this is slow for RSA.
    init(_ algorithm: SigningAlgorithm) throws {
        self.id = "key-\(RandomID.hexadecimal(4))"
        self.algorithm = algorithm
        switch algorithm {
        case .rs256: self.material = .rsa(try .init(bitCount: 2048), .pkcs1)
        case .ps256: self.material = .rsa(try .init(bitCount: 2048), .pss)
        case .es256: self.material = .p256(.init())
        }
    }

    /// Signs claims.
    func token(_ claims: JSONValue) throws -> String {
        let header: JSONValue = [
            "alg": .string(self.algorithm.rawValue), "kid": .string(self.id), "typ": .string("JWT"),
        ]
        let input = CompactJWS.signingInput(header: header, claims: claims)
        let signature: [UInt8] =
            switch self.material {
            case .rsa(let key, let padding): try key.signature(for: input.utf8, padding: padding)
            case .p256(let key): try key.signature(for: input.utf8)
            }
        return input + "." + StrictBase64.encode(signature, .url)
    }

    /// Returns the public key as a JWK.
    func jwk() throws -> JSONValue {
        var members: [(String, String)] = [
            ("kid", self.id), ("alg", self.algorithm.rawValue), ("use", "sig"),
        ]
        switch self.material {
        case .rsa(let key, _):
            members += [
                ("kty", "RSA"), ("n", StrictBase64.encode(key.publicKey.modulus, .url)),
                ("e", StrictBase64.encode(key.publicKey.exponent, .url)),
            ]
        case .p256(let key):
            let point = key.publicKey.rawRepresentation
            members += [
                ("kty", "EC"), ("crv", "P-256"), ("x", StrictBase64.encode(point[..<32], .url)),
                ("y", StrictBase64.encode(point[32...], .url)),
            ]
        }
        return .object(members.map { .init(name: $0.0, value: .string($0.1)) })
    }
}
