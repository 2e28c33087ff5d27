internal import Cryptography

/// The Concat key derivation function of NIST SP 800-56A section 5.8.1 as JOSE uses it (RFC 7518 section 4.6.2).
enum ConcatKDF {
    /// Derives a key of at most 256 bits, for which one round of SHA-256 is enough.
    ///
    /// - Parameters:
    ///   - secret: Z, the result of the agreement.
    ///   - bits: The key's length: 8 to 256, a multiple of 8.
    ///   - algorithm: The `enc` that the key is for, in direct agreement.
    ///   - partyU: `apu`, decoded.
    ///   - partyV: `apv`, decoded.
    /// - Returns: The key.
    static func key(of secret: [UInt8], bits: Int, algorithm: String, partyU: [UInt8], partyV: [UInt8]) -> [UInt8] {
        precondition((8...256).contains(bits) && bits % 8 == 0, "one round makes 256 bits")
        var input: [UInt8] = bigEndian(1) + secret
        for part in [Array(algorithm.utf8), partyU, partyV] { input += bigEndian(part.count) + part }
        input += bigEndian(bits)
        return Array(SHA256.hash(data: input).prefix(bits / 8))
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian) { Array($0) }
    }
}
