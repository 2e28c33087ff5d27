internal import TextFormats

/// Links of events: `https`, or the scheme of an app.
enum LinkText {
    /// Schemes that a phone or browser would handle itself, and plain http.
    private static let refusedSchemes: Set<BoundedName> = [
        "http", "javascript", "data", "file", "blob", "about", "vbscript", "content", "filesystem", "view-source",
    ]

    private static let https: [UInt8] = Array("https://".utf8)

    /// Whether a text may be sent to devices as a link: `scheme:rest` (RFC 3986 section 3.1) without white space and
    /// controls.
    static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        for byte in bytes where byte <= 0x20 || byte == 0x7F { return false }
        // Most links are https.
        if bytes.starts(with: https) { return bytes.count > https.count }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon + 1 < bytes.count else { return false }
        guard let scheme = BoundedName(lowercasing: String(decoding: bytes[..<colon], as: UTF8.self)),
            let first = scheme.text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
            scheme.text.utf8.allSatisfy(isSchemeByte), !refusedSchemes.contains(scheme)
        else { return false }
        // "https:" without a host is not a link.
        return scheme != "https" || bytes[colon...].starts(with: "://".utf8) && bytes.count > 8
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
