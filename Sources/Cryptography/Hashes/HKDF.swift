/// HKDF with a hash function (RFC 5869).
package enum HKDF<Function: HashFunction> {
    /// Derives a key.
    ///
    /// - Parameters:
    ///   - secret: The secret.
    ///   - salt: The salt; empty for none.
    ///   - info: The purpose of the key.
    ///   - byteCount: The key's length: 1 to 255 digests.
    /// - Returns: The key.
    package static func key(of secret: [UInt8], salt: [UInt8] = [], info: [UInt8] = [], byteCount: Int) -> [UInt8] {
        let maxByteCount = 255 * Function.algorithm.byteCount
        precondition((1...maxByteCount).contains(byteCount), "HKDF derives 1 to 255 digests")
        let extracted = HMAC<Function>(key: HMAC<Function>.authenticationCode(for: secret, using: salt))
        var (key, block): ([UInt8], [UInt8]) = ([], [])
        defer { block.cleanse() }
        while key.count < byteCount {
            block = Array(extracted.code(of: block, info, [UInt8(key.count / Function.algorithm.byteCount + 1)]))
            key += block.prefix(byteCount - key.count)
        }
        return key
    }
}
