internal import TextFormats

/// The coordinates in a JWK for P-256 (RFC 7518 section 6.2.1); the caller that creates a key checks that they are on
/// the curve.
struct PointOnP256 {
    /// The first coordinate, 32 bytes with leading zeros.
    let x: [UInt8]
    /// The second coordinate, 32 bytes with leading zeros.
    let y: [UInt8]

    /// Parses `x` and `y`; nil when `kty` or `crv` differ, or a coordinate does not have exactly 32 bytes.
    init?(_ jwk: StrictJSON.Members) {
        guard jwk["kty"] == .string("EC"), jwk["crv"] == .string("P-256"),
            let x = jwk["x"]?.text.flatMap({ StrictBase64.decode($0.utf8, .url) }), x.count == 32,
            let y = jwk["y"]?.text.flatMap({ StrictBase64.decode($0.utf8, .url) }), y.count == 32
        else { return nil }
        self.x = x
        self.y = y
    }
}
