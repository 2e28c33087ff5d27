package import TextFormats

extension JSONValue {
    /// The most nested levels, so that hostile input cannot exhaust the stack.
    package static let maxDepth = 64

    /// Parses a text with exactly one value, strictly; a number must be finite.
    ///
    /// - Parameter text: UTF-8.
    /// - Throws: The reason of the rejection.
    package init(parsing text: [UInt8]) throws(StrictJSON.Rejection) {
        self = try Self.value(of: try StrictJSON.parse(text, maxDepth: Self.maxDepth))
    }

    private static func value(of json: StrictJSON) throws(StrictJSON.Rejection) -> JSONValue {
        switch json {
        case .null: return .null
        case .bool(let flag): return .bool(flag)
        case .integer(let number): return .integer(number)
        case .otherNumber(let text):
            guard let number = Double(text), number.isFinite else { throw .syntax }
            return .number(number)
        case .string(let text): return .string(text)
        case .array(let items):
            var elements: [JSONValue] = []
            for item in items { elements.append(try value(of: item)) }
            return .array(elements)
        case .object(let found):
            var members: [JSONMember] = []
            for (name, item) in found { members.append(JSONMember(name: name.text, value: try value(of: item))) }
            return .object(members)
        }
    }

    /// The value as JSON text, UTF-8 without white space.
    package var text: [UInt8] {
        var writer = JSONWriter(capacity: 256)
        write(to: &writer)
        return writer.bytes
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.literal("null")
        case .bool(let flag): writer.boolean(flag)
        case .integer(let number): writer.integer(number)
        case .number(let number): writer.raw("\(number)")
        case .string(let text): writer.string(text)
        case .array(let elements):
            writer.literal("[")
            for element in elements {
                writer.separate()
                element.write(to: &writer)
            }
            writer.literal("]")
        case .object(let members):
            writer.literal("{")
            for member in members {
                writer.name(member.name)
                member.value.write(to: &writer)
            }
            writer.literal("}")
        }
    }
}

extension StrictJSON.Rejection {
    /// The reason, without any part of the text.
    var reason: String {
        switch self {
        case .syntax: "wrong syntax"
        case .encoding: "the text is not UTF-8"
        case .depth: "nested too deeply"
        case .duplicate: "a member name is repeated"
        case .longName: "a member name is too long"
        case .values: "too many values"
        }
    }
}
