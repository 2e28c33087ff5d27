import Logging
import TextFormats

/// A minimal JSON writer for log lines.
enum LogJSON {
    static func appendMember(_ name: String, _ value: String, to line: inout [UInt8]) {
        line.append(UInt8(ascii: ","))
        append(name, to: &line)
        line.append(UInt8(ascii: ":"))
        append(value, to: &line)
    }

    static func appendMember(_ name: String, _ value: Logger.MetadataValue, to line: inout [UInt8]) {
        line.append(UInt8(ascii: ","))
        append(name, to: &line)
        line.append(UInt8(ascii: ":"))
        append(value, to: &line)
    }

    static func append(_ value: Logger.MetadataValue, to line: inout [UInt8]) {
        switch value {
        case .string(let text): append(text, to: &line)
        case .stringConvertible(let value): append(value, to: &line)
        case .array(let values):
            line.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { line.append(UInt8(ascii: ",")) }
                append(value, to: &line)
            }
            line.append(UInt8(ascii: "]"))
        case .dictionary(let members):
            line.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { line.append(UInt8(ascii: ",")) }
                append(member.key, to: &line)
                line.append(UInt8(ascii: ":"))
                append(member.value, to: &line)
            }
            line.append(UInt8(ascii: "}"))
        }
    }

    /// Integers and booleans keep their type; every other value becomes a string.
    private static func append(_ value: any CustomStringConvertible, to line: inout [UInt8]) {
        switch value {
        case let number as any FixedWidthInteger: line.append(contentsOf: number.description.utf8)
        case let truth as Bool: line.append(contentsOf: (truth ? "true" : "false").utf8)
        default: append(value.description, to: &line)
        }
    }

    /// Appends text as a JSON string (RFC 8259 section 7).
    static func append(_ text: String, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                line.append(UInt8(ascii: "\\"))
                line.append(byte)
            case 0x0A: line.append(contentsOf: "\\n".utf8)
            case 0x0D: line.append(contentsOf: "\\r".utf8)
            case 0x09: line.append(contentsOf: "\\t".utf8)
            case 0..<0x20:
                line.append(contentsOf: "\\u00".utf8)
                line.append(Hexadecimal.digit(byte >> 4))
                line.append(Hexadecimal.digit(byte & 15))
            default: line.append(byte)
            }
        }
        line.append(UInt8(ascii: "\""))
    }

    /// Appends text with control characters replaced by spaces, so that one event stays on one line.
    static func appendUnbroken(_ text: String, to line: inout [UInt8]) {
        for byte in text.utf8 { line.append(byte < 0x20 ? UInt8(ascii: " ") : byte) }
    }
}
