/// Base64 with the alphabet for URLs and without padding (RFC 4648 section 5, RFC 7515 section 2).
enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { buffer in
            var count = 0
            var index = 0
            while index < bytes.count {
                let rest = bytes.count - index
                let word =
                    UInt32(bytes[index]) << 16
                    | (rest > 1 ? UInt32(bytes[index + 1]) << 8 : 0)
                    | (rest > 2 ? UInt32(bytes[index + 2]) : 0)
                for position in 0..<min(rest + 1, 4) {
                    buffer[count] = alphabet[Int(word >> UInt32(18 - position * 6)) & 0x3F]
                    count += 1
                }
                index += 3
            }
            return count
        }
    }
}
