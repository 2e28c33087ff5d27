/// One complete response.
package struct SimulatorReply: Sendable {
    /// The HTTP status, 200 to 599.
    package var status: Int
    /// The fields, names in lower case.
    package var headers: [(name: String, value: String)]
    /// The body; may be empty.
    package var body: [UInt8]

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - headers: The fields, names in lower case.
    ///   - body: The body.
    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Makes a response with a JSON body.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - headers: Further fields.
    ///   - json: The body.
    /// - Returns: The response.
    static func json(_ status: Int, headers: [(name: String, value: String)] = [], _ json: JSONValue) -> Self {
        Self(
            status: status,
            headers: headers + [("content-type", "application/json; charset=UTF-8")],
            body: json.text
        )
    }

    /// Makes the response of a failing front end: HTML where JSON is expected.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - text: The text of the page.
    /// - Returns: The response.
    static func html(_ status: Int, _ text: String) -> Self {
        Self(
            status: status,
            headers: [("content-type", "text/html; charset=UTF-8")],
            body: Array("<!DOCTYPE html><html><title>Error \(status)</title><p>\(text)</p></html>\n".utf8)
        )
    }
}
