/// Encodes texts of back-ends and devices for a header field or a path.
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
    /// - Parameter key: Any text.
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

    /// Returns a path with a segment in which everything except unreserved characters (RFC 3986 section 2.3) and colons
    /// is percent-encoded.
    ///
    /// - Parameters:
    ///   - prefix: The path before it, already encoded.
    ///   - segment: Any text; device tokens need no encoding.
    ///   - suffix: The path after it, already encoded.
    /// - Returns: The whole path.
    static func path(_ prefix: StaticString, segment: String, suffix: StaticString = "") -> String {
        var segment = segment
        return segment.withUTF8 { utf8 in
            let capacity = prefix.utf8CodeUnitCount + utf8.count * 3 + suffix.utf8CodeUnitCount
            return String(unsafeUninitializedCapacity: capacity) { buffer in
                var count = 0
                func put(_ byte: UInt8) {
                    buffer[count] = byte
                    count += 1
                }
                for index in 0..<prefix.utf8CodeUnitCount { put(prefix.utf8Start[index]) }
                for byte in utf8 {
                    if isUnreserved(byte) {
                        put(byte)
                    } else {
                        put(UInt8(ascii: "%"))
                        put(hexadecimal(byte >> 4))
                        put(hexadecimal(byte & 0xF))
                    }
                }
                for index in 0..<suffix.utf8CodeUnitCount { put(suffix.utf8Start[index]) }
                return count
            }
        }
    }

    private static func isTopicByte(_ byte: UInt8) -> Bool {
        isUnreserved(byte) && ![UInt8(ascii: "."), UInt8(ascii: "~"), UInt8(ascii: ":")].contains(byte)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: "~"), UInt8(ascii: ":"):
            true
        default: false
        }
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10
    }
}
