internal import Cryptography
internal import TextFormats

extension P256.PublicKey {
    /// Parses the coordinates of a JWK for P-256, 32 bytes each with leading zeros (RFC 7518 section 6.2.1).
    ///
    /// Nil when `kty` or `crv` differ, a coordinate has not exactly 32 bytes, or the point is not on the curve: with such
    /// a point a private key could be recovered bit by bit.
    init?(jwk: StrictJSON.Members) {
        guard jwk["kty"] == .string("EC"), jwk["crv"] == .string("P-256"),
            let x = jwk["x"]?.text.flatMap({ StrictBase64.decode($0.utf8, .url) }), x.count == 32,
            let y = jwk["y"]?.text.flatMap({ StrictBase64.decode($0.utf8, .url) }), y.count == 32,
            let key = try? P256.PublicKey(rawRepresentation: x + y)
        else { return nil }
        self = key
    }
}
