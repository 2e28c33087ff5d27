internal import TextFormats

/// Origins of pages as browsers write them (RFC 6454 section 6.2).
enum OriginText {
    /// The rule, as the detail of an error.
    static let rule = "must be an origin as browsers send it, such as https://shop.example.com"

    /// Returns whether a text is an origin: scheme, host in lower case, and a port that is not the scheme's own.
    ///
    /// - Returns: False for `null` and `*`, which would allow every page, and for a host that is an IPv6 address.
    static func isValid(_ text: String) -> Bool {
        let (scheme, usualPort) = text.hasBytePrefix("https://") ? ("https://", 443) : ("http://", 80)
        guard text.hasBytePrefix(scheme) else { return false }
        let parts = Substring(text.utf8.dropFirst(scheme.utf8.count))
            .byteSplit(":", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), (1...253).contains(parts[0].utf8.count),
            parts[0].utf8.allSatisfy(isHostByte)
        else { return false }
        guard parts.count == 2 else { return true }
        guard let port = UInt16(parts[1]), port > 0, port != usualPort else { return false }
        return parts[1].utf8.elementsEqual(String(port).utf8)
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }
}
