import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

/// A response of the gateway.
struct Reply: Sendable {
    let status: Int
    let headers: HTTPFields
    let text: String

    init(_ response: TestResponse) {
        status = response.status.code
        headers = response.headers
        text = String(buffer: response.body)
    }

    /// Parses the bytes from a raw socket: one response with a length.
    init(raw: String) throws {
        let parts = raw.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts[0].split(separator: "\r\n")
        status = try #require(lines.first.flatMap { Int($0.dropFirst(9).prefix(3)) }, "\(raw)")
        var headers: HTTPFields = [:]
        for line in lines.dropFirst() {
            let field = line.split(separator: ": ", maxSplits: 1)
            if field.count == 2, let name = HTTPField.Name(String(field[0])) { headers[name] = String(field[1]) }
        }
        self.headers = headers
        text = parts.count == 2 ? String(parts[1]) : ""
    }

    /// The body; fails the test when it is not JSON.
    func json(_ location: SourceLocation = #_sourceLocation) throws -> JSON {
        try #require(try? JSON(text), "not JSON: \(text)", sourceLocation: location)
    }

    subscript(name: String) -> JSON? { (try? JSON(text))?[name] }

    /// The pointers of a problem.
    var pointers: [String] { self["errors"]?.items.compactMap { $0["pointer"]?.string } ?? [] }

    /// Checks that it is a problem in the API's format.
    func expectProblem(_ status: Int, _ code: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(self.status == status, "\(text)", sourceLocation: location)
        #expect(self["code"]?.string == code, "\(text)", sourceLocation: location)
        #expect(self["status"]?.int == status, sourceLocation: location)
        #expect(headers[.contentType] == "application/problem+json", sourceLocation: location)
        #expect(self["retryable"]?.bool != nil, sourceLocation: location)
        #expect(self["title"]?.string?.isEmpty == false, sourceLocation: location)
        #expect(self["type"]?.string != nil, sourceLocation: location)
        #expect(self["detail"]?.string?.isEmpty == false, sourceLocation: location)
        #expect(
            self["requestId"]?.string == headers[HTTPField.Name("X-Request-Id") ?? .age],
            sourceLocation: location
        )
        if status == 401 { #expect(headers[.wwwAuthenticate] != nil, sourceLocation: location) }
        if status == 503 { #expect(headers[.retryAfter] != nil, sourceLocation: location) }
    }
}
