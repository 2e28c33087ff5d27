/// Encodes `application/x-www-form-urlencoded` (RFC 6749 appendix B).
enum FormEncoding {
    /// Returns a form.
    ///
    /// - Parameter fields: Names and values, in order.
    /// - Returns: ASCII.
    static func body(_ fields: [(name: String, value: String)]) -> [UInt8] {
        Array(fields.map { "\(encode($0.name.utf8))=\(encode($0.value.utf8))" }.joined(separator: "&").utf8)
    }

    /// Returns one encoded name or value.
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "*"):
                text.append(byte)
            case UInt8(ascii: " "): text.append(UInt8(ascii: "+"))
            default: text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
