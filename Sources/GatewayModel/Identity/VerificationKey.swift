/// The key that verifies the signatures of another system's tokens: a fixed one, or those in its JWK set.
package struct VerificationKey: Sendable, Equatable {
    /// The source of the key.
    package enum Source: Sendable, Equatable {
        /// One key.
        case key(PublicKeyDetails)
        /// A JWK set at a URL (RFC 7517 section 5).
        case jwks(url: String)
    }

    /// The only algorithm that is accepted.
    package var algorithm: SignatureAlgorithm
    /// The only `kid` that is accepted; nil for any.
    package var keyId: String?
    /// The source of the key.
    package var source: Source

    /// Creates a key.
    package init(algorithm: SignatureAlgorithm, keyId: String?, source: Source) {
        self.algorithm = algorithm
        self.keyId = keyId
        self.source = source
    }
}

extension VerificationKey: Codable {
    private enum CodingKeys: String, CodingKey {
        case algorithm, keyId, jwksUrl
    }

    /// Decodes the flat members; throws `DecodingError`.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        algorithm = try members.decode(SignatureAlgorithm.self, forKey: .algorithm)
        keyId = try members.decodeIfPresent(String.self, forKey: .keyId)
        if let url = try members.decodeIfPresent(String.self, forKey: .jwksUrl) {
            source = .jwks(url: url)
        } else {
            source = .key(try PublicKeyDetails(from: decoder))
        }
    }

    /// Encodes the flat members.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(algorithm, forKey: .algorithm)
        try members.encodeIfPresent(keyId, forKey: .keyId)
        switch source {
        case .jwks(let url): try members.encode(url, forKey: .jwksUrl)
        case .key(let key): try key.encode(to: encoder)
        }
    }
}
