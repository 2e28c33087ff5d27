internal import Cryptography
package import GatewayModel
package import TextFormats

extension VerifyingKey {
    /// The members of only a private or a symmetric key (RFC 7518 sections 6.2.2, 6.3.2 and 6.4).
    private static let privateMembers: [BoundedName] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    /// Parses a key of a JWK set (RFC 7517, RFC 7518 section 6).
    ///
    /// - Parameters:
    ///   - jwk: Its members.
    ///   - algorithm: The algorithm.
    /// - Throws: ``KeyRejection``: `wrongUse` when `use`, `key_ops` or `alg` are for another use, `wrongType` when it is
    ///   of another type or curve, `privateKey` when it contains more than the public part.
    package init(jwk: StrictJSON.Members, algorithm: SignatureAlgorithm) throws(KeyRejection) {
        guard Self.privateMembers.allSatisfy({ jwk[$0] == nil }) else { throw .privateKey }
        let keyID = try Self.keyID(jwk)
        let type = KeyUse.signature(algorithm).type
        switch type {
        case .rsa:
            guard jwk["kty"] == .string("RSA") else { throw .wrongType(needed: type.text) }
            try Self.checkUse(jwk, algorithm)
            guard let modulus = Self.bytes("n", jwk), let exponent = Self.bytes("e", jwk) else { throw .invalid }
            try self.init(
                // Some libraries write the sign's zero byte, which section 6.3.1.1 warns about.
                modulus: Array(modulus.drop { $0 == 0 }),
                exponent: Array(exponent.drop { $0 == 0 }),
                algorithm: algorithm,
                keyID: keyID
            )
        case .p256:
            guard jwk["kty"] == .string("EC"), jwk["crv"] == .string("P-256") else {
                throw .wrongType(needed: type.text)
            }
            try Self.checkUse(jwk, algorithm)
            guard let key = P256.PublicKey(jwk: jwk) else { throw .invalid }
            self.init(key, algorithm: algorithm, keyID: keyID)
        }
    }

    private static func keyID(_ jwk: StrictJSON.Members) throws(KeyRejection) -> String? {
        switch jwk["kid"] {
        case nil: return nil
        case .string(let text)?: return text
        default: throw .invalid
        }
    }

    private static func checkUse(_ jwk: StrictJSON.Members, _ algorithm: SignatureAlgorithm) throws(KeyRejection) {
        if let use = jwk["use"], use != .string("sig") { throw .wrongUse }
        if let named = jwk["alg"], named != .string(algorithm.rawValue) { throw .wrongUse }
        if let operations = jwk["key_ops"] {
            guard case .array(let operations) = operations, operations.contains(.string("verify")) else {
                throw .wrongUse
            }
        }
    }

    private static func bytes(_ name: BoundedName, _ jwk: StrictJSON.Members) -> [UInt8]? {
        jwk[name]?.text.flatMap { StrictBase64.decode($0.utf8, .url) }
    }
}
