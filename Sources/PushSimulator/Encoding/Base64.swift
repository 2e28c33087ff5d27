/// Base64 and base64url (RFC 4648), strict in both directions.
package enum Base64 {
    /// Encodes with the URL alphabet and no padding, as JOSE requires (RFC 7515 section 2).
    ///
    /// - Parameter bytes: Any bytes.
    /// - Returns: The text.
    package static func encodeURL(_ bytes: some Collection<UInt8>) -> String {
        Self.encode(bytes, alphabet: Self.urlAlphabet, pads: false)
    }

    /// Encodes with the standard alphabet and padding, as PEM requires (RFC 7468).
    ///
    /// - Parameter bytes: Any bytes.
    /// - Returns: The text in one line.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        Self.encode(bytes, alphabet: Self.alphabet, pads: true)
    }

    /// Decodes base64url without padding.
    ///
    /// - Parameter text: The text.
    /// - Returns: The bytes; nil for an invalid character, an invalid length, or padding bits that are not zero.
    package static func decodeURL(_ text: some StringProtocol) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count * 3 / 4)
        var buffer: UInt32 = 0
        var bits = 0
        for byte in text.utf8 {
            guard let value = Self.value(of: byte) else { return nil }
            buffer = buffer << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                output.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
        }
        guard bits < 6, buffer & (1 << bits - 1) == 0 else { return nil }
        return output
    }

    /// Decodes the standard alphabet with padding.
    ///
    /// - Parameter text: The text.
    /// - Returns: The bytes; nil for anything that ``encode(_:)`` does not write.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let url = text.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
        guard let bytes = Self.decodeURL(String(url)), Self.encode(bytes) == text else { return nil }
        return bytes
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }

    private static func encode(_ bytes: some Collection<UInt8>, alphabet: [UInt8], pads: Bool) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                output.append(alphabet[Int(buffer >> bits & 63)])
            }
        }
        if bits > 0 { output.append(alphabet[Int(buffer << (6 - bits) & 63)]) }
        while pads, output.count % 4 != 0 { output.append(UInt8(ascii: "=")) }
        return String(decoding: output, as: UTF8.self)
    }
}
