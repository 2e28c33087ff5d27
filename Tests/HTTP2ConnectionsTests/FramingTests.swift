import NIOCore
import NIOEmbedded
import Testing

@testable import HTTP2Connections

/// Both sides of HTTP/2, connected in memory.
private struct Pair {
    let client: ClientFraming
    let server: ServerFraming
    let connection = HTTP2ServerConnection(id: 1, eventLoop: EmbeddedEventLoop())

    init(
        client configuration: HTTP2ConnectionConfiguration = HTTP2ConnectionConfiguration(),
        server serverConfiguration: HTTP2ServerConfiguration = HTTP2ServerConfiguration()
    ) throws {
        client = try ClientFraming(authority: "example.com", configuration: configuration)
        server = try ServerFraming(configuration: serverConfiguration)
    }

    /// Moves frames both ways until there are none.
    ///
    /// Returns the number of bytes that the client sent.
    @discardableResult
    func exchange() throws -> Int {
        var sent = 0
        var isBusy = true
        while isBusy {
            isBusy = false
            while let chunk = try client.nextChunk() {
                sent += chunk.count
                try server.receive(chunk)
                isBusy = true
            }
            while let chunk = try server.nextChunk() {
                try client.receive(chunk)
                isBusy = true
            }
        }
        return sent
    }

    func takeRequests() -> [HTTP2ServerRequest] {
        defer { server.complete = [] }
        return server.complete.compactMap { server.takeRequest(record: $0, on: connection) }
    }

    func takeEvents() -> [ClientFraming.Event] {
        defer { client.events = [] }
        return client.events
    }
}

@Suite("Framing")
struct FramingTests {
    private static func request(_ headers: [HTTP2Header] = [], body: [UInt8] = [1, 2, 3]) -> HTTP2Request {
        HTTP2Request(id: 1, path: "/x", headers: headers, body: body)
    }

    @Test("a request that a GOAWAY overtakes is recorded as not sent")
    func notSentAfterGoAway() throws {
        let pair = try Pair()
        try pair.exchange()
        _ = pair.takeEvents()
        #expect(pair.client.submit(Self.request(), record: 4) == 1)
        pair.server.submitGoAway(lastStreamID: 0, errorCode: 0, debugData: [])
        while let chunk = try pair.server.nextChunk() { try pair.client.receive(chunk) }
        try pair.exchange()
        let events = pair.takeEvents()
        #expect(events.contains(.notSent(record: 4)))
        #expect(pair.client.lastSentStreamID == 0)
        #expect(pair.takeRequests().isEmpty)
    }

    @Test("bodies that wait for the window count against it until they are sent or dropped")
    func freeWindow() throws {
        var configuration = HTTP2ServerConfiguration()
        configuration.windowUpdateDelay = .hours(1)
        let pair = try Pair(server: configuration)
        try pair.exchange()
        let body = [UInt8](repeating: 1, count: 40_000)
        _ = pair.client.submit(Self.request(body: body), record: 0)
        #expect((pair.client.remoteWindow, pair.client.freeWindow) == (65_535, 25_535))
        try pair.exchange()
        #expect((pair.client.remoteWindow, pair.client.freeWindow) == (25_535, 25_535))
        _ = pair.client.submit(Self.request(body: body), record: 1)
        try pair.exchange()
        #expect((pair.client.remoteWindow, pair.client.freeWindow) == (0, -14_465))
        _ = pair.client.finish(record: 1)
        #expect(pair.client.freeWindow == 0)
    }

    @Test("the first SETTINGS have the configured values")
    func settings() throws {
        var configuration = HTTP2ServerConfiguration()
        configuration.maxConcurrentStreams = 17
        let pair = try Pair(server: configuration)
        try pair.exchange()
        #expect(pair.takeEvents() == [.settings(maxConcurrentStreams: 17)])
    }

    @Test("a response larger than the limits is truncated without an error")
    func limits() throws {
        var configuration = HTTP2ConnectionConfiguration()
        configuration.maximumResponseBodyBytes = 100
        configuration.maximumResponseHeaderBytes = 50
        let pair = try Pair(client: configuration)
        try pair.exchange()
        _ = pair.takeEvents()
        #expect(pair.client.submit(Self.request(), record: 0) == 1)
        try pair.exchange()
        let headers = [("first", "kept"), ("second", String(repeating: "v", count: 60)), ("third", "kept")]
        let response = HTTP2ServerResponse(status: 200, headers: headers, body: Array(repeating: 9, count: 200_000))
        pair.server.respond(stream: 1, response)
        try pair.exchange()
        #expect(pair.takeEvents() == [.closed(record: 0, errorCode: 0, isComplete: true)])
        let exchange = pair.client.finish(record: 0)
        #expect(exchange.responseBody.count == 100)
        #expect(exchange.headers.fields.map(\.name) == ["first", "third"])
    }

    @Test("incremental headers get cheaper, those without indexing do not and stay out of the table")
    func indexing() throws {
        func sizes(_ indexing: HTTP2Header.Indexing) throws -> (first: Int, second: Int) {
            let pair = try Pair()
            try pair.exchange()
            let header = HTTP2Header(name: "x-test", value: String(repeating: "~", count: 200), indexing: indexing)
            _ = pair.client.submit(Self.request([header]), record: 0)
            let first = try pair.exchange()
            _ = pair.client.submit(Self.request([header]), record: 1)
            return (first, try pair.exchange())
        }
        let indexed = try sizes(.incremental)
        #expect(indexed.second < indexed.first - 190)
        for indexing in [HTTP2Header.Indexing.withoutIndexing, .neverIndexed] {
            let kept = try sizes(indexing)
            #expect(kept.second > 200)
        }
    }

    @Test("a secret header is a never-indexed literal on the wire")
    func neverIndexed() throws {
        let pair = try Pair()
        try pair.exchange()
        let header = HTTP2Header(name: "zz", value: "secret", indexing: .neverIndexed)
        _ = pair.client.submit(Self.request([header]), record: 0)
        var bytes: [UInt8] = []
        while let chunk = try pair.client.nextChunk() { bytes += chunk }
        // RFC 7541 section 6.2.3: 0001 and a zero name index, then the name's length; "zz" is not shorter in Huffman.
        let literal: [UInt8] = [0x10, 0x02, UInt8(ascii: "z"), UInt8(ascii: "z")]
        #expect(bytes.indices.contains { bytes[$0...].starts(with: literal) })
    }

    @Test("nghttp2 itself never indexes authorization, whatever the flag")
    func authorizationIsNeverIndexed() throws {
        let pair = try Pair()
        try pair.exchange()
        let header = HTTP2Header(name: "authorization", value: String(repeating: "~", count: 300))
        _ = pair.client.submit(Self.request([header]), record: 0)
        try pair.exchange()
        _ = pair.client.submit(Self.request([header]), record: 1)
        #expect(try pair.exchange() > 300)
    }

    @Test("a stream whose record belongs to another request has no effect")
    func staleStream() throws {
        let pair = try Pair()
        try pair.exchange()
        _ = pair.takeEvents()
        _ = pair.client.submit(Self.request(), record: 0)
        try pair.exchange()
        #expect(pair.client.finish(record: 0).streamID == 1)
        #expect(pair.client.submit(Self.request(), record: 0) == 3)
        try pair.exchange()
        pair.server.respond(stream: 1, HTTP2ServerResponse(status: 500, body: [1]))
        pair.server.respond(stream: 3, HTTP2ServerResponse(status: 200, body: [2]))
        try pair.exchange()
        #expect(pair.takeEvents() == [.closed(record: 0, errorCode: 0, isComplete: true)])
        let exchange = pair.client.finish(record: 0)
        #expect(exchange.status == 200)
        #expect(exchange.responseBody == [2])
    }

    @Test("a request body above the server's limit is flagged and truncated")
    func serverBodyLimit() throws {
        var configuration = HTTP2ServerConfiguration()
        configuration.maximumBodyBytes = 10
        let pair = try Pair(server: configuration)
        try pair.exchange()
        _ = pair.client.submit(Self.request(body: Array(repeating: 1, count: 11)), record: 0)
        _ = pair.client.submit(Self.request(body: Array(repeating: 1, count: 10)), record: 1)
        try pair.exchange()
        let requests = pair.takeRequests()
        #expect(requests.map(\.isBodyTruncated) == [true, false])
        #expect(requests.map(\.body.count) == [10, 10])
    }

    @Test("response headers are found by name and listed in order")
    func responseHeaders() {
        var headers = HTTP2ResponseHeaders()
        #expect(headers["a"] == nil)
        func add(_ name: String, _ value: String) {
            Array(name.utf8).withUnsafeBufferPointer { name in
                Array(value.utf8).withUnsafeBufferPointer { value in headers.append(name: name, value: value) }
            }
        }
        add("a", "")
        add("bb", "two")
        add("bb", "three")
        #expect(headers["a"]?.isEmpty == true)
        #expect(headers["bb"] == "two")
        #expect(headers.fields.map(\.value) == ["", "two", "three"])
        headers.removeAll()
        #expect(headers.fields.isEmpty)
    }
}
