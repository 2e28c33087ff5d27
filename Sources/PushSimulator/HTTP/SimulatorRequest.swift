/// One complete request as received.
package struct SimulatorRequest: Sendable {
    /// The value of `:method`.
    package var method: String
    /// The value of `:path`.
    package var path: String
    /// The fields without the pseudo header fields, names in lower case, in order.
    package var headers: [(name: String, value: String)]
    /// The body, complete.
    package var body: [UInt8]

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The value of `:method`.
    ///   - path: The value of `:path`.
    ///   - headers: The fields, names in lower case.
    ///   - body: The body.
    package init(method: String, path: String, headers: [(name: String, value: String)], body: [UInt8]) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }

    /// Returns the first value of a field.
    ///
    /// - Parameter name: The name in lower case.
    /// - Returns: The value; nil when the field is absent.
    package func header(_ name: String) -> String? {
        self.headers.first { $0.name == name }?.value
    }
}
