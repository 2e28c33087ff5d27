/// Makes texts of back-ends valid in a header field.
enum HeaderText {
    /// Returns a collapse key as a field value: unchanged when it is valid there, else a hash of it.
    ///
    /// Two keys that differ only beyond the limit must not replace each other, so a long one is hashed, not truncated.
    ///
    /// - Parameters:
    ///   - key: The event's key.
    ///   - maxBytes: The provider's limit, 20 or more.
    /// - Returns: At most `maxBytes` bytes of UTF-8 without control characters or outer spaces.
    static func collapseKey(_ key: String, maxBytes: Int) -> String {
        let utf8 = key.utf8
        if utf8.count <= maxBytes, utf8.first != 0x20, utf8.last != 0x20,
            utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        {
            return key
        }
        return hashed(utf8)
    }

    /// Returns a key as a `Topic` of Web Push (RFC 8030 section 5.4): unchanged when it is valid, else a hash of it.
    ///
    /// - Returns: 1 to 32 characters of the URL and filename safe base64 alphabet.
    static func topic(_ key: String) -> String {
        let utf8 = key.utf8
        if !utf8.isEmpty, utf8.count <= FCMRenderer.maxTopicBytes, utf8.allSatisfy(isTopicByte) { return key }
        return hashed(utf8)
    }

    /// Returns a hash of at most 20 bytes: FNV-1a, 64 bits.
    private static func hashed(_ utf8: String.UTF8View) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return "key-" + String(hash, radix: 16)
    }

    private static func isTopicByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
