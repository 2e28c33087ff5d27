package import GatewayModel

/// A public key that verifies one algorithm's signatures, read once; any thread may use it.
package struct VerifyingKey: Sendable {
    /// The only algorithm that it verifies.
    package let algorithm: SignatureAlgorithm
    /// Its `kid`, where it has one.
    package let keyID: String?
}
