extension StrictJSON {
    /// The value's text with the members of objects sorted, so that a value has one text.
    package var sortedText: [UInt8] {
        // Only what RFC 8259 section 7 requires is escaped, and all of it in one way.
        var writer = JSONWriter(capacity: 256, escapes: .numbers)
        append(to: &writer)
        return writer.bytes
    }

    /// Appends ``sortedText``; the writer's escapes must be ``JSONWriter/Escapes/numbers``, so that a value has one text.
    package func write(to writer: inout JSONWriter) {
        precondition(writer.escapes == .numbers)
        append(to: &writer)
    }

    private func append(to writer: inout JSONWriter) {
        switch self {
        case .object(let members):
            writer.literal("{")
            for member in members.sorted(by: { $0.key < $1.key }) {
                writer.name(member.key.text)
                member.value.append(to: &writer)
            }
            writer.literal("}")
        case .array(let items):
            writer.literal("[")
            for item in items {
                writer.separate()
                item.append(to: &writer)
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
