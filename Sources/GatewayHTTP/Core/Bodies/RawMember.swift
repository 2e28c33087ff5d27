/// Finds a member's text in a valid JSON object, so that another reader can read it unchanged.
enum RawMember {
    /// Returns the text of a member's value.
    ///
    /// - Parameters:
    ///   - name: The member's name, without characters that need escapes.
    ///   - text: One valid JSON object.
    /// - Returns: The range of the value, perhaps with white space after it; nil when the object has no such member.
    static func value(_ name: StaticString, of text: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        var depth = 0
        var position = 0
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                let end = text.endOfJSONString(position)
                let inner = UnsafeBufferPointer(rebasing: text[position + 1..<max(end - 1, position + 1)])
                let isName = name.withUTF8Buffer { $0.elementsEqual(inner) }
                if depth == 1, isName, let start = afterColon(end, text) {
                    return start..<text.endOfJSONValue(start)
                }
                position = end
                continue
            default: break
            }
            position += 1
        }
        return nil
    }

    /// Returns the start of the value when a member's name ends here; a string value is not followed by a colon.
    private static func afterColon(_ end: Int, _ text: UnsafeBufferPointer<UInt8>) -> Int? {
        var position = end
        var hasColon = false
        while position < text.count {
            switch text[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            case UInt8(ascii: ":") where !hasColon:
                hasColon = true
                position += 1
            default: return hasColon ? position : nil
            }
        }
        return nil
    }
}
