extension SimulatedPush {
    /// The push in the form of the control port; members without a value are left out.
    ///
    /// A body that is not JSON is shown as text under `bodyText`.
    var listed: JSONValue {
        let json = self.json
        return .present([
            ("number", .integer(Int64(self.number))), ("provider", .string(self.provider.rawValue)),
            ("time", .string(self.time.rfc3339)), ("result", .string(self.result.rawValue)),
            ("status", self.status.map { .integer(Int64($0)) }), ("reason", self.reason.map { .string($0) }),
            ("connection", .integer(Int64(self.connection))), ("token", self.token.map { .string($0) }),
            ("path", .string(self.path)), ("headers", .object(self.combinedHeaders)), ("body", json),
            ("bodyText", json == nil ? .string(String(decoding: self.body, as: UTF8.self)) : nil),
        ])
    }

    /// The header fields, repeated ones joined by commas (RFC 9110 section 5.3).
    private var combinedHeaders: [JSONValue.JSONMember] {
        var values: [String: String] = [:]
        var order: [String] = []
        for (name, value) in self.headers {
            if let earlier = values[name] {
                values[name] = earlier + ", " + value
            } else {
                values[name] = value
                order.append(name)
            }
        }
        return order.map { .init(name: $0, value: .string(values[$0] ?? "")) }
    }
}
