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
        guard let text = value.stringValue else {
            throw RuleError(description: "\(self.place): \"\(name)\" must be a string")
        }
        return text
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int64>) throws(RuleError) -> Int64? {
        guard let value = self.take(name) else { return nil }
        guard let number = value.integerValue, range.contains(number) else {
            throw RuleError(
                description:
                    "\(self.place): \"\(name)\" must be an integer from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }

    mutating func flag(_ name: String) throws(RuleError) -> Bool {
        guard let value = self.take(name) else { return false }
        guard let flag = value.boolValue else {
            throw RuleError(description: "\(self.place): \"\(name)\" must be true or false")
        }
        return flag
    }

    /// Rejects remaining members.
    func end() throws(RuleError) {
        if let member = self.members.first(where: { $0.value != .null }) {
            throw RuleError(description: "\(self.place): unknown member \"\(member.name)\"")
        }
    }
}
