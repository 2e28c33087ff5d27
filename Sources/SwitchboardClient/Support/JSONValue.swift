import Foundation

/// A JSON value of a push, a request or a response.
public enum JSONValue: Sendable, Hashable {
    /// The value `null`.
    case null
    /// A boolean.
    case bool(Bool)
    /// A number without a fraction.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    /// A text.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object([String: JSONValue])

    /// The most levels of arrays and objects that are read; deeper ones are `null`.
    static let maxDepth = 32

    /// Creates a value from the members of a push as the platform delivers them.
    ///
    /// - Parameters:
    ///   - any: A value of Foundation's property lists, or of JSON.
    ///   - depth: The levels above this value.
    init(any: Any, depth: Int = 0) {
        guard depth < Self.maxDepth else {
            self = .null
            return
        }
        switch any {
        case let value as JSONValue: self = value
        case let value as String: self = .string(value)
        // A number before a boolean: Foundation makes a boolean of the numbers 0 and 1 too.
        case let value as Int: self = .integer(Int64(value))
        case let value as Int64: self = .integer(value)
        case let value as Double: self = .number(value)
        case let value as Bool: self = .bool(value)
        case let value as [AnyHashable: Any]: self = .object(Self.object(value, depth: depth + 1))
        case let value as [Any]: self = .array(value.map { JSONValue(any: $0, depth: depth + 1) })
        default: self = .null
        }
    }

    /// Returns the members whose names are texts.
    static func object(_ members: [AnyHashable: Any], depth: Int = 0) -> [String: JSONValue] {
        var object: [String: JSONValue] = [:]
        for (name, value) in members {
            if let name = name.base as? String { object[name] = JSONValue(any: value, depth: depth) }
        }
        return object
    }

    /// Parses JSON; nil if the text is not JSON, is longer than a push may be, or is nested too deeply.
    init?(parsing data: Data, maxBytes: Int = 1 << 20) {
        guard data.count <= maxBytes, Self.depth(of: data) <= Self.maxDepth else { return nil }
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: data) else { return nil }
        self = value
    }

    /// Returns the deepest nesting of brackets outside of texts.
    private static func depth(of data: Data) -> Int {
        var depth = 0
        var deepest = 0
        var isInText = false
        var isEscaped = false
        for byte in data {
            if isInText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInText = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
        }
        return deepest
    }

    /// The JSON text, with sorted members.
    var data: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)) ?? Data("null".utf8)
    }

    /// The member of an object; nil in every other value.
    subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// The text of a string that is not empty.
    var text: String? {
        guard case .string(let text) = self, !text.isEmpty else { return nil }
        return text
    }

    /// The integer of a number or of a decimal text: maps of FCM and Huawei hold texts only.
    var integerValue: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .number(let value): Int(exactly: value)
        case .string(let text): Int(text)
        default: nil
        }
    }

    /// The number of a number or of a decimal text.
    var numberValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value) where value.isFinite: value
        case .string(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    /// The boolean of a boolean, of the numbers 0 and 1, and of their texts.
    var flag: Bool? {
        switch self {
        case .bool(let value): value
        case .integer(0), .string("false"), .string("0"): false
        case .integer(1), .string("true"), .string("1"): true
        default: nil
        }
    }

    /// The elements of an array, also of one that is given as JSON text.
    var elements: [JSONValue]? {
        if case .array(let elements) = unfolded { elements } else { nil }
    }

    /// The members of an object, also of one that is given as JSON text.
    var members: [String: JSONValue]? {
        if case .object(let members) = unfolded { members } else { nil }
    }

    /// The array or object in a JSON text; every other value unchanged.
    private var unfolded: JSONValue {
        guard case .string(let text) = self, let first = text.utf8.first,
            first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        else { return self }
        return JSONValue(parsing: Data(text.utf8), maxBytes: 65_536) ?? self
    }
}

extension JSONValue: Codable {
    /// Reads any JSON value.
    ///
    /// - Parameter decoder: The decoder at the value.
    /// - Throws: An error of the decoder.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Writes the value.
    ///
    /// - Parameter encoder: The encoder at the value.
    /// - Throws: An error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
    /// Creates a text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an object; of two members with one name the last one counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates a number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Creates a boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}
