/// How the signature of somebody else's tokens is verified: by one key, or by those that it publishes.
package struct VerificationKey: Sendable, Equatable {
    /// Where the key is.
    package enum Source: Sendable, Equatable {
        /// One key.
        case key(PublicKeyDetails)
        /// A JWK set at an address (RFC 7517 section 5).
        case jwks(url: String)
    }

    /// The only algorithm that is accepted.
    package var algorithm: SignatureAlgorithm
    /// The only `kid` that is accepted; nil accepts every one.
    package var keyId: String?
    /// Where the key is.
    package var source: Source

    /// Takes a key.
    ///
    /// - Parameters:
    ///   - algorithm: The only algorithm that is accepted.
    ///   - keyId: The only `kid` that is accepted.
    ///   - source: Where the key is.
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

    /// Reads the flat members.
    ///
    /// - Parameter decoder: Holds them.
    /// - Throws: `DecodingError`.
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

    /// Writes the flat members.
    ///
    /// - Parameter encoder: Takes them.
    /// - Throws: What the encoder throws.
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
