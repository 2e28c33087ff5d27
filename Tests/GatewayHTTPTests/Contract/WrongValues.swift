/// Values that a schema rejects, generated from the schema.
struct WrongValues {
    let description: Description

    /// A body with one invalid value.
    struct Case {
        /// A description of the error.
        var name: String
        var body: JSON
        /// The JSON pointer of the invalid value.
        var pointer: String
    }

    /// Returns bodies that each have one invalid member, in every possible variant.
    ///
    /// - Parameters:
    ///   - schema: The body's schema.
    ///   - valid: A valid body.
    /// - Returns: Bodies, each with one invalid value.
    func bodies(_ schema: JSON, _ valid: JSON) -> [Case] {
        object(schema, valid, at: "") { $0 }
    }

    private func object(_ schema: JSON, _ valid: JSON, at pointer: String, wrap: @escaping (JSON) -> JSON) -> [Case] {
        guard case .object(let members) = valid else { return [] }
        var cases: [Case] = []
        let properties = schema["properties"] ?? .null
        for name in properties.names.sorted() {
            let member = pointer + "/" + name
            let place: (JSON?) -> JSON = { value in
                var changed = members
                changed[name] = value
                return wrap(.object(changed))
            }
            if (schema["required"]?.items ?? []).contains(.string(name)) {
                cases.append(Case(name: "missing", body: place(nil), pointer: member))
            }
            let wanted = description.resolved(properties[name] ?? .null)
            for (text, value) in values(wanted) {
                cases.append(Case(name: text, body: place(value), pointer: member))
            }
            let inner = nonNull(wanted)
            if let own = members[name] {
                cases += object(inner, own, at: member) { place($0) }
                if case .array(let items) = own, let first = items.first {
                    let item = description.resolved(inner["items"] ?? .null)
                    for (text, value) in values(item) {
                        cases.append(Case(name: text, body: place(.array([value])), pointer: member + "/0"))
                    }
                    cases += object(item, first, at: member + "/0") { place(.array([$0])) }
                }
            }
        }
        if schema["additionalProperties"] == .bool(false) {
            var changed = members
            changed["unknownMember"] = .string("x")
            cases.append(Case(name: "unknown", body: wrap(.object(changed)), pointer: pointer + "/unknownMember"))
        }
        return cases
    }

    /// Returns the schema other than `null` of a nullable one.
    private func nonNull(_ schema: JSON) -> JSON {
        let choices = (schema["oneOf"]?.items ?? []).map { description.resolved($0) }
        return choices.first { $0["type"] != .string("null") } ?? schema
    }

    /// Returns values that the schema of one member rejects.
    func values(_ schema: JSON) -> [(String, JSON)] {
        let choices = (schema["oneOf"]?.items ?? []).map { description.resolved($0) }
        let inner = nonNull(schema)
        let types = Set((inner["type"]?.items ?? []).compactMap(\.string) + [inner["type"]?.string].compactMap(\.self))
        let words = inner["enum"]?.items ?? []
        let mayBeNull =
            types.contains("null") || words.contains(.null) || choices.contains { $0["type"] == .string("null") }
        var wrong: [(String, JSON)] = []
        if !mayBeNull, !types.isEmpty || !words.isEmpty { wrong.append(("null", .null)) }
        let samples: [(String, JSON)] = [
            ("string", .string("x")), ("integer", .number(5)), ("boolean", .bool(true)), ("array", .array([])),
            ("object", .object([:])),
        ]
        if !words.isEmpty {
            wrong += samples.map { ("\($0.0) for an enum", $0.1) } + [("an unknown word", .string("nonsense"))]
        } else if !types.isEmpty {
            wrong += samples.filter { !types.contains($0.0) }.map { ("wrong type: \($0.0)", $0.1) }
        }
        if types.contains("integer") {
            wrong.append(("a fraction", .number(1.5)))
            if let least = inner["minimum"]?.int { wrong.append(("too small", .number(Double(least - 1)))) }
            if case .number(let most)? = inner["maximum"], most < 1e15 {
                wrong.append(("too large", .number(most + 1)))
            }
        }
        if types.contains("string") {
            if let least = inner["minLength"]?.int, least > 0 { wrong.append(("empty", .string(""))) }
            if let most = inner["maxLength"]?.int {
                wrong.append(("too long", .string(String(repeating: "a", count: most + 1))))
            }
            if inner["pattern"] != nil { wrong.append(("not of the pattern", .string("\u{0}"))) }
            if let format = inner["format"]?.string, ["uuid", "date-time", "uri"].contains(format) {
                wrong.append(("not a \(format)", .string("yesterday")))
            }
        }
        return wrong
    }
}
