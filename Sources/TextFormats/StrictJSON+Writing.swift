extension StrictJSON {
    /// Appends the value's text with the members of objects sorted, so that a value has one text.
    ///
    /// - Parameter text: The destination, UTF-8.
    /// - Returns: False for a number that is not a whole one in range: its value is not stored.
    package func write(to text: inout [UInt8]) -> Bool {
        switch self {
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                Self.write(member.key.text, to: &text)
                text.append(UInt8(ascii: ":"))
                guard member.value.write(to: &text) else { return false }
            }
            text.append(UInt8(ascii: "}"))
        case .array(let items):
            text.append(UInt8(ascii: "["))
            for (index, item) in items.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                guard item.write(to: &text) else { return false }
            }
            text.append(UInt8(ascii: "]"))
        case .string(let string): Self.write(string, to: &text)
        case .integer(let number): text.append(contentsOf: String(number).utf8)
        case .otherNumber: return false
        case .bool(let flag): text.append(contentsOf: flag ? "true".utf8 : "false".utf8)
        case .null: text.append(contentsOf: "null".utf8)
        }
        return true
    }

    /// Writes a string with its quotes; only what RFC 8259 section 7 requires is escaped.
    private static func write(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                text.append(contentsOf: byte < 0x10 ? "\\u000".utf8 : "\\u001".utf8)
                let digit = byte & 0xF
                text.append(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}
