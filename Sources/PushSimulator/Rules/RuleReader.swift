/// Reads an object of the rules and detects unknown members.
struct RuleReader {
    /// The position of the object, for error texts.
    let place: String
    private var members: [JSONValue.JSONMember]

    init(_ value: JSONValue, at place: String) throws(RuleError) {
        guard let members = value.members else { throw RuleError(description: "\(place): must be an object") }
        self.place = place
        self.members = members
    }

    /// Reads an array of objects, which errors name by their kind and number.
    static func list<Value>(
        _ text: [UInt8],
        of kind: String,
        _ read: (inout RuleReader) throws(RuleError) -> Value
    ) throws(RuleError) -> [Value] {
        guard let elements = (try? JSONValue(parsing: text))?.elements else {
            throw RuleError(description: "the \(kind)s must be a JSON array")
        }
        var values: [Value] = []
        for (index, element) in elements.enumerated() {
            var reader = try RuleReader(element, at: "\(kind) \(index)")
            values.append(try read(&reader))
        }
        return values
    }

    /// The error of this object.
    func error(_ text: String) -> RuleError { RuleError(description: "\(self.place): \(text)") }

    func peek(_ name: String) -> JSONValue? {
        self.members.first { $0.name == name }?.value
    }

    /// Removes and returns a member; null counts as absent.
    mutating func take(_ name: String) -> JSONValue? {
        guard let index = self.members.firstIndex(where: { $0.name == name }) else { return nil }
        let value = self.members.remove(at: index).value
        return value == .null ? nil : value
    }

    mutating func string(_ name: String) throws(RuleError) -> String? {
        guard let value = self.take(name) else { return nil }
        guard let text = value.stringValue else { throw self.error("\"\(name)\" must be a string") }
        return text
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int64>) throws(RuleError) -> Int64? {
        guard let value = self.take(name) else { return nil }
        guard let number = value.integerValue, range.contains(number) else {
            throw self.error("\"\(name)\" must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    mutating func flag(_ name: String) throws(RuleError) -> Bool {
        guard let value = self.take(name) else { return false }
        guard let flag = value.boolValue else { throw self.error("\"\(name)\" must be true or false") }
        return flag
    }

    /// Rejects remaining members.
    func end() throws(RuleError) {
        if let member = self.members.first(where: { $0.value != .null }) {
            throw self.error("unknown member \"\(member.name)\"")
        }
    }
}
