/// The syntax of a code and its verifier, checked before any request.
enum CodeRules {
    /// The maximum length of a code: more than any provider's codes have; they come in a URL.
    static let maxCodeBytes = 2048

    /// Returns whether a text may be a code: printable ASCII (RFC 6749 appendix A.11).
    static func isCode(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...maxCodeBytes).contains(bytes.count) && bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }

    /// Returns whether a text may be a verifier: 43 to 128 unreserved characters (RFC 7636 section 4.1).
    static func isVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "~"):
                    true
                default: false
                }
            }
    }
}
