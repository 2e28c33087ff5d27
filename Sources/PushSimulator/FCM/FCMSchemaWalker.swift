/// Validates a JSON value against the schema and collects violations.
///
/// The rules are those of the JSON mapping of protocol buffers (protobuf.dev, "ProtoJSON"): null is absence, 32-bit
/// integers may be strings, names are unique over both spellings.
struct FCMSchemaWalker {
    /// The violations, in order of appearance.
    private(set) var violations: [FCMFieldViolation] = []

    /// Checks an object.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - type: The expected type.
    ///   - path: The path of the value; empty for the whole body.
    mutating func check(_ value: JSONValue, is type: FCMMessageType, at path: String) {
        guard let members = value.members else {
            self.mismatch(value, at: path, expected: "an object")
            return
        }
        var seen: [String] = []
        for member in members {
            guard let field = type.field(named: member.name) else {
                let place = path.isEmpty ? "" : " at '\(path)'"
                self.add(path, "Unknown name \"\(member.name)\"\(place): there is no such field.")
                continue
            }
            let fieldPath = path.isEmpty ? member.name : "\(path).\(member.name)"
            if seen.contains(field.canonical) { self.add(fieldPath, "The field is set twice.") }
            seen.append(field.canonical)
            if member.value != .null { self.check(member.value, is: field.type, at: fieldPath) }
        }
    }

    private mutating func check(_ value: JSONValue, is type: FCMFieldType, at path: String) {
        switch type {
        case .string: self.require(value.stringValue != nil, value, at: path, expected: "a string")
        case .bool: self.require(value.boolValue != nil, value, at: path, expected: "true or false")
        case .int32: self.require(Self.isInt32(value), value, at: path, expected: "a 32-bit integer")
        case .fraction:
            let isFraction = value.doubleValue.map { (0...1).contains($0) } ?? false
            self.require(isFraction, value, at: path, expected: "a number from 0 to 1")
        case .duration:
            self.require(
                value.stringValue.flatMap(FCMDuration.init) != nil,
                value,
                at: path,
                expected: "a duration in seconds with the suffix s"
            )
        case .timestamp:
            self.require(
                value.stringValue.map(Self.isTimestamp) ?? false,
                value,
                at: path,
                expected: "an RFC 3339 time"
            )
        case .color:
            self.require(value.stringValue.map(Self.isColor) ?? false, value, at: path, expected: "a color as #rrggbb")
        case .enumeration(let names, let takesLowerCase):
            let name = value.stringValue.map { takesLowerCase ? $0.uppercased() : $0 }
            let isKnown = name.map(names.contains) ?? value.integerValue.map { (0..<16).contains($0) } ?? false
            self.require(isKnown, value, at: path, expected: "one of \(names.joined(separator: ", "))")
        case .stringMap:
            guard let members = value.members else { return self.mismatch(value, at: path, expected: "an object") }
            for (index, member) in members.enumerated() {
                self.require(
                    member.value.stringValue != nil,
                    member.value,
                    at: "\(path)[\(index)].value",
                    expected: "a string"
                )
            }
        case .anyObject: self.require(value.members != nil, value, at: path, expected: "an object")
        case .list(let element):
            guard let elements = value.elements else { return self.mismatch(value, at: path, expected: "an array") }
            for (index, item) in elements.enumerated() { self.check(item, is: element, at: "\(path)[\(index)]") }
        case .message(let type): self.check(value, is: type, at: path)
        }
    }

    private mutating func require(_ isRight: Bool, _ value: JSONValue, at path: String, expected: String) {
        if !isRight { self.mismatch(value, at: path, expected: expected) }
    }

    private mutating func mismatch(_ value: JSONValue, at path: String, expected: String) {
        self.add(path, "Invalid value at '\(path)': expected \(expected), found \(value.kind).")
    }

    private mutating func add(_ path: String, _ text: String) {
        self.violations.append(.init(field: path, text: text))
    }

    private static func isInt32(_ value: JSONValue) -> Bool {
        switch value {
        case .integer(let number): Int32(exactly: number) != nil
        case .number(let number): Int32(exactly: number) != nil
        case .string(let text): Int32(text) != nil
        default: false
        }
    }

    private static func isColor(_ text: String) -> Bool {
        text.utf8.count == 7 && text.hasPrefix("#") && text.dropFirst().allSatisfy(\.isHexDigit)
    }

    /// Returns whether a text has the form of a time; the number of days in a month is not checked.
    private static func isTimestamp(_ text: String) -> Bool {
        let form =
            /\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)/
        return text.wholeMatch(of: form) != nil
    }
}
