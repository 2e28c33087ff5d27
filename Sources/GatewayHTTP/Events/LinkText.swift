/// Links of events: `https`, or the scheme of an app.
enum LinkText {
    /// Schemes that a phone or browser would act on by itself, and plain http.
    private static let refusedSchemes: Set<String> = [
        "http", "javascript", "data", "file", "blob", "about", "vbscript", "content", "filesystem", "view-source",
    ]

    /// Whether a text may be handed to devices: `scheme:rest` (RFC 3986 section 3.1) without white space and controls.
    static func isValid(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return false }
        // Nearly all links are these.
        if text.hasPrefix("https://") { return bytes.count > 8 }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes.index(after: colon) < bytes.endIndex else {
            return false
        }
        let scheme = text[..<colon].lowercased()
        guard let first = scheme.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
            scheme.utf8.allSatisfy(isSchemeByte), !refusedSchemes.contains(scheme)
        else { return false }
        // "https:" alone names nothing.
        return scheme != "https" || text[colon...].hasPrefix("://") && bytes.count > 8
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
