import Logging
import TextFormats

extension JSONWriter {
    /// Appends a value of a line's metadata.
    mutating func metadata(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text): string(text)
        case .stringConvertible(let value): convertible(value)
        case .array(let values):
            literal("[")
            for value in values {
                separate()
                metadata(value)
            }
            literal("]")
        case .dictionary(let members):
            literal("{")
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                self.name(name)
                metadata(value)
            }
            literal("}")
        }
    }

    /// Integers and booleans keep their type; every other value becomes a string.
    private mutating func convertible(_ value: any CustomStringConvertible) {
        switch value {
        case let number as any FixedWidthInteger: raw(number.description)
        case let truth as Bool: boolean(truth)
        default: string(value.description)
        }
    }

    /// Appends text with control characters replaced by spaces, so that one event stays on one line.
    mutating func unbroken(_ text: String) {
        raw(text.utf8.map { $0 < 0x20 ? UInt8(ascii: " ") : $0 })
    }
}
