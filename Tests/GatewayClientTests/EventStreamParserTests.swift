import Testing

@testable import GatewayClient

@Suite("Event streams")
struct EventStreamParserTests {
    private static let text =
        ": hello\n\nid: 7\ndata: {\"a\":1}\n\nevent: delivery\ndata: two\ndata:lines\n\nid\ndata\n\nretry: 1500\nother: x\n\n"
        + "id: 9\n\ndata: last\n\ndata: not whole"

    private static let events = [
        StreamEvent(id: "7", type: "message", data: #"{"a":1}"#),
        StreamEvent(id: "7", type: "delivery", data: "two\nlines"), StreamEvent(id: "", type: "message", data: ""),
        StreamEvent(id: "9", type: "message", data: "last"),
    ]

    @Test("is parsed the same for any split, with every kind of line end", arguments: ["\n", "\r\n", "\r"])
    func cuts(_ end: String) throws {
        let bytes = Array(Self.text.replacing("\n", with: end).utf8)
        for size in [1, 2, 3, 7, bytes.count] {
            var parser = EventStreamParser()
            var events: [StreamEvent] = []
            var start = 0
            while start < bytes.count {
                events += try parser.take(bytes[start..<min(start + size, bytes.count)])
                start += size
            }
            #expect(events == Self.events)
            #expect(parser.retryMilliseconds == 1500)
            #expect(parser.lastEventID == "9")
        }
    }

    @Test("a block without data is no event, but sets the position for a new connection")
    func signOfLife() throws {
        var parser = EventStreamParser()
        #expect(try parser.take(Array("retry: 3000\nid: 41\n".utf8)).isEmpty)
        #expect(parser.lastEventID == nil)
        #expect(try parser.take(Array("\n: still here\nid: 42\n\n".utf8)).isEmpty)
        #expect(parser.lastEventID == "42")
    }

    @Test("a line without an end is rejected")
    func long() {
        var parser = EventStreamParser()
        #expect(throws: EventStreamParser.TooLong.self) {
            try parser.take(repeatElement(0x61, count: EventStreamParser.maxLineBytes + 1))
        }
    }
}
