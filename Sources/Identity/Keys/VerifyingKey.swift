package import GatewayModel

/// A public key that verifies one algorithm's signatures, read once; any thread may use it.
package struct VerifyingKey: Sendable {
    /// The only algorithm that it verifies.
    package let algorithm: SignatureAlgorithm
    /// Its `kid`, where it has one.
    package let keyID: String?

    /// Reads a key of a JWK set (RFC 7517).
    ///
    /// - Parameters:
    ///   - jwk: The key's members.
    ///   - algorithm: What it must verify.
    /// - Throws: ``KeyRefusal``.
    package init(jwk: [String: StrictJSON], algorithm: SignatureAlgorithm) throws(KeyRefusal) {
        let type = algorithm == .es256 ? "EC" : "RSA"
        guard jwk["kty"] == .string(type) else { throw .wrongType(needed: type) }
        for member in type == "EC" ? ["x", "y"] : ["n", "e"] {
            guard case .string = jwk[member] else { throw .unreadable }
        }
        self.algorithm = algorithm
        if case .string(let keyID) = jwk["kid"] { self.keyID = keyID } else { keyID = nil }
    }
}
