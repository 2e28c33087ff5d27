extension StrictJSON {
    /// The value's text with the members of objects sorted, so that a value has one text.
    package var sortedText: [UInt8] {
        // Only what RFC 8259 section 7 requires is escaped, and all of it in one way.
        var writer = JSONWriter(capacity: 256, escapes: .numbers)
        write(to: &writer)
        return writer.bytes
    }

    /// Appends the value's text with the members of objects sorted; the writer's `escapes` are to be `numbers`, so that a
    /// value has one text.
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .object(let members):
            writer.literal("{")
            for member in members.sorted(by: { $0.key < $1.key }) {
                writer.name(member.key.text)
                member.value.write(to: &writer)
            }
            writer.literal("}")
        case .array(let items):
            writer.literal("[")
            for item in items {
                writer.separate()
                item.write(to: &writer)
            }
            writer.literal("]")
        case .string(let string): writer.string(string)
        case .integer(let number): writer.integer(number)
        case .otherNumber(let text): writer.raw(text)
        case .bool(let flag): writer.boolean(flag)
        case .null: writer.literal("null")
        }
    }
}
