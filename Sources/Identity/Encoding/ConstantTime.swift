import COpenSSL

/// Comparisons whose time says nothing about where two values differ.
enum ConstantTime {
    /// Whether two byte strings are equal; only their lengths may show in the time.
    static func equal(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        guard first.count == second.count else { return false }
        return CRYPTO_memcmp(first, second, first.count) == 0
    }
}
