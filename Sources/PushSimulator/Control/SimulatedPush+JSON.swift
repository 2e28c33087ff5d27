extension SimulatedPush {
    /// Writes the push in the form of the control port.
    ///
    /// - Parameter writer: Receives one object; members without a value are left out. A body that is not JSON is
    ///   written as text under `bodyText`.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("number", self.number)
            writer.member("provider", self.provider.rawValue)
            writer.member("time", self.time.rfc3339)
            writer.member("result", self.result.rawValue)
            writer.member("status", self.status)
            writer.member("reason", self.reason)
            writer.member("connection", self.connection)
            writer.member("token", self.token)
            writer.member("path", self.path)
            writer.name("headers")
            writer.write(.object(self.combinedHeaders))
            if let json = self.json {
                writer.member("body", json)
            } else {
                writer.member("bodyText", String(decoding: self.body, as: UTF8.self))
            }
        }
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
