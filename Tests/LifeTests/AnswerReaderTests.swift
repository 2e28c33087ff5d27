import NIOCore
import Testing

@testable import ProcessHarness

/// What the loads of the benchmark understand of an answer.
@Suite("the load's reader of answers")
struct AnswerReaderTests {
    private static let answers =
        "HTTP/1.1 202 Accepted\r\nContent-Length: 5\r\n\r\n{\r\n\r\n"
        + "HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length:0\r\n\r\n"
        + "HTTP/1.1 202 Accepted\r\ncontent-length: 12\r\n\r\n{\"a\":\"bcd\"}\n"

    @Test("answers are told apart wherever the socket cuts them", arguments: [1, 2, 3, 7, 50, 1000])
    func cut(size: Int) throws {
        var reader = AnswerReader()
        var statuses: [Int] = []
        var rest = ByteBuffer(string: Self.answers)
        while var part = rest.readSlice(length: min(size, max(rest.readableBytes, 1))) {
            reader.append(&part)
            while let status = try reader.next() { statuses.append(status) }
        }
        #expect(statuses == [202, 503, 202])
    }

    @Test(
        "what it does not understand is an error and no answer",
        arguments: [
            "HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\n\r\n", "HTTP/2 200\r\ncontent-length: 0\r\n\r\n",
            String(repeating: "x", count: 20_000),
        ]
    )
    func strange(text: String) throws {
        var reader = AnswerReader()
        var part = ByteBuffer(string: text)
        reader.append(&part)
        do {
            let status = try reader.next()
            Issue.record("it read \(status ?? 0)")
        } catch is HarnessError {}
    }
}
