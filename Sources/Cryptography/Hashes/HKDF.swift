/// HKDF with a hash function (RFC 5869).
package enum HKDF<Function: HashFunction> {
    /// Derives a key.
    ///
    /// - Parameters:
    ///   - inputKeyMaterial: The secret.
    ///   - salt: The salt; empty for none.
    ///   - info: The purpose of the key.
    ///   - outputByteCount: The key's length: 1 to 255 digests.
    /// - Returns: The key.
    package static func deriveKey(
        inputKeyMaterial: SymmetricKey,
        salt: some Collection<UInt8> = [UInt8](),
        info: some Collection<UInt8> = [UInt8](),
        outputByteCount: Int
    ) -> SymmetricKey {
        precondition((1...255 * Function.byteCount).contains(outputByteCount), "HKDF derives 1 to 255 digests")
        let extracted = inputKeyMaterial.withUnsafeBytes {
            HMAC<Function>.authenticationCode(for: $0, using: SymmetricKey(data: salt))
        }
        let key = HMAC<Function>(key: SymmetricKey(data: extracted))
        return SymmetricKey(byteCount: outputByteCount) { output in
            var (block, info): ([UInt8], [UInt8]) = ([], Array(info))
            for (number, start) in stride(from: 0, to: outputByteCount, by: Function.byteCount).enumerated() {
                block = Array(key.finalize(appending: [block, info, [UInt8(number + 1)]]))
                let part = UnsafeMutableRawBufferPointer(rebasing: output[start...])
                part.copyBytes(from: block.prefix(part.count))
            }
            SymmetricKey.cleanse(&block)
            SymmetricKey.cleanse(&info)
        }
    }
}
