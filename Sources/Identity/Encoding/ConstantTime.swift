import COpenSSL

/// Comparisons in constant time.
enum ConstantTime {
    /// Returns whether two byte strings are equal; only their lengths may affect the time.
    static func equal(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        guard first.count == second.count else { return false }
        return CRYPTO_memcmp(first, second, first.count) == 0
    }
}
