/// A parsed JSON value: member order is kept, integers stay integers.
package enum JSONValue: Sendable, Equatable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without fraction and exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object. No two members have the same name.
    case object([JSONMember])

    /// One member of an object.
    package struct JSONMember: Sendable, Equatable {
        /// The name.
        package var name: String
        /// The value.
        package var value: JSONValue

        /// Creates a member.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - value: The value.
        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The member of that name; nil when there is none or this is not an object.
    ///
    /// - Parameter name: The member's name.
    package subscript(name: String) -> JSONValue? {
        self.members?.first { $0.name == name }?.value
    }

    /// The element at that index; nil when there is none or this is not an array.
    ///
    /// - Parameter index: The index, from 0.
    package subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The members of an object, else nil.
    package var members: [JSONMember]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The elements of an array, else nil.
    package var elements: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The text of a string, else nil.
    package var stringValue: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of an integer, else nil.
    package var integerValue: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The value of a number of either kind, else nil.
    package var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The value of `true` and `false`, else nil.
    package var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The type of the value, as the JSON standard names it.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .integer, .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// Creates an object; no two members may have the same name.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { JSONMember(name: $0, value: $1) })
    }

    /// Returns an object of the members that have a value.
    static func present(_ members: [(name: String, value: JSONValue?)]) -> JSONValue {
        .object(members.compactMap { name, value in value.map { JSONMember(name: name, value: $0) } })
    }
}
