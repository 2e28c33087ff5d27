import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import GatewayHTTP

/// Invalid requests on the wire: every text is sent unchanged, on its own connection.
@Suite("Invalid HTTP, and formats that smuggle a second request", .serialized, .timeLimit(.minutes(10)))
struct WireTests {
    /// The bytes to send, and the allowed responses.
    struct Case: Sendable, CustomStringConvertible {
        var description: String
        /// The text; `{A}` is replaced by the authorization header.
        var text: String
        /// The statuses of the responses in order; none for a connection that is closed without a response.
        var responses: [[Int]]
    }

    private static let authorization = "Authorization: Bearer \(TestGateway.adminToken)\r\n"
    private static let brand = #"{"id":"smuggled","name":"n"}"#
    private static let smuggled =
        "POST /v1/brands HTTP/1.1\r\nHost: h\r\n{A}Content-Type: application/json\r\nContent-Length: 28\r\n\r\n\(brand)"

    private static func post(_ headers: String, _ body: String, version: String = "1.1") -> String {
        "POST /v1/brands/acme/events HTTP/\(version)\r\nHost: h\r\n{A}Content-Type: application/json\r\n\(headers)\r\n\(body)"
    }

    static let cases: [Case] = [
        // Two lengths, or a length with chunks: RFC 9112 section 6.3.
        Case(
            description: "length and chunks",
            text: post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + smuggled),
            responses: [[400]]
        ),
        Case(
            description: "chunks and length",
            text: post("Transfer-Encoding: chunked\r\nContent-Length: 300\r\n", "0\r\n\r\n" + smuggled),
            responses: [[400]]
        ),
        Case(
            description: "two lengths that differ",
            text: post("Content-Length: 2\r\nContent-Length: 300\r\n", "{}" + smuggled),
            responses: [[400]]
        ),
        Case(
            description: "a list of lengths",
            text: post("Content-Length: 2, 300\r\n", "{}" + smuggled),
            responses: [[400]]
        ),
        Case(description: "a negative length", text: post("Content-Length: -1\r\n", "{}"), responses: [[400]]),
        Case(description: "a length with a sign", text: post("Content-Length: +2\r\n", "{}"), responses: [[400]]),
        Case(description: "a length in hexadecimal", text: post("Content-Length: 0x2\r\n", "{}"), responses: [[400]]),
        Case(
            description: "a length beyond every number",
            text: post("Content-Length: 99999999999999999999\r\n", "{}"),
            responses: [[400, 413]]
        ),
        Case(
            description: "a length beyond the limit",
            // The second response is for the end of an incomplete body.
            text: post("Content-Length: 99999999\r\n", "[{}"),
            responses: [[413], [400]]
        ),
        Case(
            description: "an unknown coding",
            text: post("Transfer-Encoding: gzip\r\n", smuggled),
            responses: [[400, 501]]
        ),
        Case(
            description: "chunks that are not the last coding",
            text: post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n" + smuggled),
            responses: [[400]]
        ),
        Case(
            description: "a coding with a space before its colon",
            text: post("Transfer-Encoding : chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n" + smuggled),
            responses: [[400]]
        ),
        Case(
            description: "a coding behind a control character",
            text: post("Transfer-Encoding: \u{B}chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n" + smuggled),
            responses: [[400]]
        ),
        Case(
            description: "a chunk size that is none",
            text: post("Transfer-Encoding: chunked\r\n", "zz\r\n{}\r\n0\r\n\r\n" + smuggled),
            responses: [[400]]
        ),
        Case(
            description: "a chunk size beyond every number",
            text: post("Transfer-Encoding: chunked\r\n", "fffffffffffffffff\r\n{}\r\n0\r\n\r\n" + smuggled),
            responses: [[400]]
        ),
        Case(
            description: "a chunk that is longer than it says",
            text: post("Transfer-Encoding: chunked\r\n", "1\r\n{}\r\n0\r\n\r\n" + smuggled),
            responses: [[400]]
        ),
        Case(
            description: "a header line that is folded",
            text: post("X-A: b\r\n Content-Length: 300\r\nContent-Length: 2\r\n", "{}"),
            responses: [[400, 422]]
        ),
        Case(
            description: "a header without a name",
            text: post(": x\r\nContent-Length: 2\r\n", "{}"),
            responses: [[400]]
        ),
        Case(
            description: "a header with NUL",
            text: post("X-A: a\u{0}b\r\nContent-Length: 2\r\n", "{}"),
            responses: [[400]]
        ),
        Case(
            description: "a bare line feed within a header",
            text: post("X-A: a\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n", "{}"),
            responses: [[400]]
        ),
        Case(description: "no method", text: " /livez HTTP/1.1\r\nHost: h\r\n\r\n", responses: [[400]]),
        Case(
            description: "a method of nobody",
            text: "BREW /livez HTTP/1.1\r\nHost: h\r\n\r\n",
            responses: [[400, 404, 405]]
        ),
        Case(description: "no version", text: "GET /livez\r\nHost: h\r\n\r\n", responses: [[400]]),
        Case(description: "another protocol", text: "GET /livez HTCPCP/1.0\r\n\r\n", responses: [[400]]),
        Case(
            description: "a version that is not spoken",
            text: "GET /livez HTTP/3.7\r\nHost: h\r\n\r\n",
            responses: [[400, 505]]
        ),
        Case(
            description: "the preface of HTTP/2, which is no request",
            text: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            responses: []
        ),
        Case(
            description: "almost the preface of HTTP/2",
            text: "PRI * HTTP/2.0\r\n\r\nSN\r\n\r\n",
            responses: [[400, 404, 405, 505]]
        ),
        Case(description: "a TLS greeting", text: "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}", responses: [[400]]),
        Case(
            description: "a path that is no path",
            text: "GET livez HTTP/1.1\r\nHost: h\r\n\r\n",
            responses: [[400, 404]]
        ),
        Case(
            description: "a path that climbs",
            text: "GET /v1/../../etc/passwd HTTP/1.1\r\nHost: h\r\n\r\n",
            responses: [[404]]
        ),
        Case(
            description: "a path that climbs in disguise",
            text: "GET /v1/brands/%2e%2e%2f%2e%2e HTTP/1.1\r\nHost: h\r\n{A}\r\n",
            responses: [[404]]
        ),
        Case(
            description: "a path with NUL",
            text: "GET /v1/brands/a\u{0}b HTTP/1.1\r\nHost: h\r\n{A}\r\n",
            responses: [[400]]
        ),
        Case(
            description: "two requests in one piece",
            text: "GET /livez HTTP/1.1\r\nHost: h\r\n\r\nGET /nope HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
            responses: [[200], [404]]
        ),
        Case(
            description: "a body where none is expected",
            text:
                "GET /livez HTTP/1.1\r\nHost: h\r\nContent-Length: \(smuggled.utf8.count - 3 + authorization.utf8.count)\r\n\r\n"
                + smuggled,
            responses: [[200]]
        ),
        Case(
            description: "an expectation that nobody knows",
            text: post("Expect: 200-maybe\r\nContent-Length: 2\r\n", "{}"),
            responses: [[417, 422]]
        ),
    ]

    @Test("is rejected or handled correctly; nothing is smuggled, and the next caller is served", arguments: cases)
    func wire(_ sent: Case) async throws {
        try await TestGateway.run(.live, limits: ServerLimits(requestTimeout: .milliseconds(500))) { api in
            try await api.makeBrand()
            let before = try await api.dump()
            let client = try RawClient(port: try #require(api.client.port))
            client.send(sent.text.replacing("{A}", with: Self.authorization))
            client.endOfInput()
            let response = try #require(await client.readToEnd(), "the connection stayed open")
            let statuses = response.components(separatedBy: "HTTP/1.1 ").dropFirst().compactMap { Int($0.prefix(3)) }
            #expect(statuses.count == sent.responses.count, "\(response)")
            for (status, allowed) in zip(statuses, sent.responses) {
                #expect(allowed.contains(status), "\(response)")
            }
            #expect(try await api.dump() == before, "\(response)")
            #expect(try await api.call(.get, "/v1/brands/acme").status == 200)
            #expect(try await api.call(.get, "/v1/brands/smuggled").status == 404)
        }
    }
}
