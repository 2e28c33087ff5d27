import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import HTTP2Connections

/// The protocol's rules, with a client of frames that are written by hand; sections are those of RFC 9113.
@Suite("The server side of HTTP/2")
struct HTTP2StreamHandlerTests {
    /// Records what it receives.
    private final class Recorder: HTTP2StreamOwner {
        var lines: [String] = []
        var heads: [HTTP2RequestHead] = []
        var isWithinHead = false
        var onEnd: (UInt32) -> Void = { _ in }
        var onStop: () -> Void = {}

        func headArrived(_ head: HTTP2RequestHead, stream: Int32) {
            heads.append(head)
            lines.append("head \(stream)")
        }
        func bodyArrived(_ bytes: ByteBuffer, stream: Int32) { lines.append("body \(stream) \(String(buffer: bytes))") }
        func requestEnded(stream: Int32) {
            lines.append("end \(stream)")
            onEnd(UInt32(stream))
        }
        func responseSent(stream: Int32) { lines.append("sent \(stream)") }
        func streamClosed(_ stream: Int32) { lines.append("closed \(stream)") }
        func framesWritten() {}
        func bytesHandled(isWithinHead: Bool) { self.isWithinHead = isWithinHead }
        func flooded() { lines.append("flooded") }
        func stopRequested() { onStop() }
        func connectionClosed() { lines.append("connection closed") }
    }

    private let recorder = Recorder()
    private let handler: HTTP2StreamHandler
    private let channel: EmbeddedChannel

    init() throws {
        handler = try HTTP2StreamHandler(
            configuration: HTTP2StreamConfiguration(maxHeadBytes: 1000, maxFields: 10),
            owner: recorder
        )
        channel = EmbeddedChannel(handler: handler)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    /// The frames that the server has sent since the last call.
    private func sent() throws -> [HTTP2Frame] {
        var bytes: [UInt8] = []
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) { bytes += Array(buffer.readableBytesView) }
        return HTTP2Frame.all(in: bytes)
    }

    private func receive(_ frames: HTTP2Frame...) throws {
        try channel.writeInbound(ByteBuffer(bytes: frames.flatMap(\.bytes)))
    }

    private func open() throws {
        try channel.writeInbound(ByteBuffer(bytes: HTTP2Frame.opening))
        _ = try sent()
    }

    /// Names the frames in a few words; only those that end something.
    private func ends(_ frames: [HTTP2Frame]) -> [String] {
        frames.compactMap { frame -> String? in
            switch frame.kind {
            case .goAway: "GOAWAY \(HTTP2ErrorCode(rawValue: frame.number(at: 4)))"
            case .reset: "RST_STREAM \(frame.stream) \(HTTP2ErrorCode(rawValue: frame.number(at: 0)))"
            default: nil
            }
        }
    }

    // MARK: Errors

    /// Bytes of a client, and the error with which its connection or stream ends.
    struct Case: Sendable, CustomStringConvertible {
        var description: String
        var bytes: [UInt8]
        var end: String

        init(_ description: String, _ frames: [HTTP2Frame], _ end: String) {
            self.init(description, bytes: HTTP2Frame.opening + frames.flatMap(\.bytes), end)
        }

        init(_ description: String, bytes: [UInt8], _ end: String) {
            self.description = description
            self.bytes = bytes
            self.end = end
        }
    }

    private static func setting(_ id: UInt8, _ value: UInt32) -> HTTP2Frame {
        HTTP2Frame(.settings, [0, id] + HTTP2Frame.number(value))
    }

    private static let post = HTTP2Frame.request(1, "POST", "/x", isLast: false)
    private static let odd = Array(stride(from: UInt32(1), to: 600, by: 2))
    private static let cancel: [UInt8] = [0, 0, 0, 8]
    private static let eight = [UInt8](repeating: 0, count: 8)

    static let connectionErrors: [Case] = [
        Case("3.4 no preface", bytes: Array("GET / HTTP/1.1\r\nHost: example\r\n\r\n".utf8), "PROTOCOL_ERROR"),
        Case("3.4 no SETTINGS first", bytes: HTTP2Frame.preface + HTTP2Frame(.ping, eight).bytes, "PROTOCOL_ERROR"),
        Case(
            "4.2 a frame above the maximum",
            [HTTP2Frame(.data, stream: 1, Array(repeating: 0, count: 16_385))],
            "FRAME_SIZE_ERROR"
        ),
        Case(
            "4.3 a header block that cannot be read",
            [HTTP2Frame(.headers, flags: 5, stream: 1, Array(repeating: 0xff, count: 9))],
            "COMPRESSION_ERROR"
        ),
        Case("5.1 DATA on an idle stream", [HTTP2Frame(.data, stream: 1, [1])], "PROTOCOL_ERROR"),
        Case("5.1 RST_STREAM on an idle stream", [HTTP2Frame(.reset, stream: 1, [0, 0, 0, 8])], "PROTOCOL_ERROR"),
        Case(
            "5.1 WINDOW_UPDATE on an idle stream",
            [HTTP2Frame(.windowUpdate, stream: 1, [0, 0, 0, 8])],
            "PROTOCOL_ERROR"
        ),
        Case("5.1 DATA after the end", [.request(1), HTTP2Frame(.data, stream: 1, [1])], "STREAM_CLOSED"),
        Case("5.1 HEADERS after the end", [.request(1), .request(1)], "STREAM_CLOSED"),
        Case("5.1.1 a stream of a server", [.request(2)], "PROTOCOL_ERROR"),
        Case("6.1 DATA of the connection", [HTTP2Frame(.data, [1])], "PROTOCOL_ERROR"),
        Case(
            "6.1 padding beyond the frame",
            [post, HTTP2Frame(.data, flags: 8, stream: 1, [5, 1, 2])],
            "PROTOCOL_ERROR"
        ),
        Case("6.2 HEADERS of the connection", [.request(0)], "PROTOCOL_ERROR"),
        Case("6.3 PRIORITY of a wrong length", [HTTP2Frame(.priority, stream: 1, [0, 0, 0])], "FRAME_SIZE_ERROR"),
        Case("6.4 RST_STREAM of the connection", [HTTP2Frame(.reset, [0, 0, 0, 8])], "PROTOCOL_ERROR"),
        Case("6.4 RST_STREAM of a wrong length", [post, HTTP2Frame(.reset, stream: 1, [0])], "FRAME_SIZE_ERROR"),
        Case("6.5 an ACK with settings", [HTTP2Frame(.settings, flags: 1, [0, 3, 0, 0, 0, 1])], "FRAME_SIZE_ERROR"),
        Case("6.5 SETTINGS of a stream", [HTTP2Frame(.settings, stream: 1)], "PROTOCOL_ERROR"),
        Case("6.5 SETTINGS of a wrong length", [HTTP2Frame(.settings, [0, 0, 0, 0, 0])], "FRAME_SIZE_ERROR"),
        Case("6.5.2 ENABLE_PUSH of 2", [setting(2, 2)], "PROTOCOL_ERROR"),
        Case("6.5.2 a window above the maximum", [setting(4, 1 << 31)], "FLOW_CONTROL_ERROR"),
        Case("6.5.2 MAX_FRAME_SIZE too low", [setting(5, 16_383)], "PROTOCOL_ERROR"),
        Case("6.5.2 MAX_FRAME_SIZE too high", [setting(5, 1 << 24)], "PROTOCOL_ERROR"),
        Case(
            "6.6 PUSH_PROMISE of a client",
            [post, HTTP2Frame(.pushPromise, flags: 4, stream: 1, [0, 0, 0, 2])],
            "PROTOCOL_ERROR"
        ),
        Case("6.7 PING of a stream", [HTTP2Frame(.ping, stream: 1, eight)], "PROTOCOL_ERROR"),
        Case("6.7 PING of a wrong length", [HTTP2Frame(.ping, [0])], "FRAME_SIZE_ERROR"),
        Case("6.8 GOAWAY of a stream", [HTTP2Frame(.goAway, stream: 1, eight)], "PROTOCOL_ERROR"),
        Case("6.9 WINDOW_UPDATE of 0", [HTTP2Frame(.windowUpdate, [0, 0, 0, 0])], "PROTOCOL_ERROR"),
        Case("6.9 WINDOW_UPDATE of a wrong length", [HTTP2Frame(.windowUpdate, [0])], "FRAME_SIZE_ERROR"),
        Case(
            "6.9.1 a window of the connection above the maximum",
            [HTTP2Frame(.windowUpdate, [0x7f, 0xff, 0xff, 0xff])],
            "FLOW_CONTROL_ERROR"
        ),
        Case("6.10 CONTINUATION alone", [HTTP2Frame(.continuation, flags: 4, stream: 1)], "PROTOCOL_ERROR"),
        Case(
            "6.10 a frame within a header block",
            [HTTP2Frame(.headers, flags: 1, stream: 1), HTTP2Frame(.ping, eight)],
            "PROTOCOL_ERROR"
        ),
        Case(
            "6.10 CONTINUATION of another stream",
            [HTTP2Frame(.headers, flags: 1, stream: 1), HTTP2Frame(.continuation, flags: 4, stream: 3)],
            "PROTOCOL_ERROR"
        ),
        Case(
            "10.5 CONTINUATION without end",
            [HTTP2Frame(.headers, flags: 1, stream: 1)]
                + Array(repeating: HTTP2Frame(.continuation, stream: 1), count: 12),
            "ENHANCE_YOUR_CALM"
        ),
        Case("10.5 a flood of PING", Array(repeating: HTTP2Frame(.ping, eight), count: 300), "ENHANCE_YOUR_CALM"),
        Case("10.5 a flood of SETTINGS", Array(repeating: HTTP2Frame(.settings), count: 300), "ENHANCE_YOUR_CALM"),
        Case(
            "10.5 a flood of empty DATA",
            [post] + Array(repeating: HTTP2Frame(.data, stream: 1), count: 300),
            "ENHANCE_YOUR_CALM"
        ),
        Case(
            "10.5 a flood of resets",
            odd.flatMap { [.request($0), HTTP2Frame(.reset, stream: $0, cancel)] },
            "ENHANCE_YOUR_CALM"
        ),
        Case(
            "10.5 a flood of requests that the server resets",
            odd.map { .request($0, "GET", "x") },
            "ENHANCE_YOUR_CALM"
        ),
    ]

    @Test("an error of the connection ends it with GOAWAY", arguments: connectionErrors)
    func connectionError(sent wrong: Case) throws {
        try channel.writeInbound(ByteBuffer(bytes: wrong.bytes))
        // What follows changes nothing.
        _ = try? channel.writeInbound(ByteBuffer(bytes: HTTP2Frame(.ping, Self.eight).bytes))
        #expect(ends(try sent()).last == "GOAWAY \(wrong.end)")
        #expect(!channel.isActive && recorder.lines.last == "connection closed")
        #expect(recorder.lines.contains("flooded") == (wrong.end == "ENHANCE_YOUR_CALM"))
    }

    private static func malformed(
        _ description: String,
        without: String? = nil,
        _ fields: (String, String)...
    ) -> Case {
        let pseudo = [(":method", "GET"), (":scheme", "http"), (":authority", "h"), (":path", "/")]
        let block = HTTP2Frame.block(pseudo.filter { $0.0 != without } + fields)
        return Case(description, [HTTP2Frame(.headers, flags: 5, stream: 1, block)], "PROTOCOL_ERROR")
    }

    private static func body(_ length: String, _ bytes: [UInt8]) -> [HTTP2Frame] {
        let head = HTTP2Frame.request(1, "POST", "/x", [("content-length", length)], isLast: false)
        return [head, HTTP2Frame(.data, flags: 1, stream: 1, bytes)]
    }

    private static func trailers(_ fields: [(String, String)], flags: UInt8 = 5) -> [HTTP2Frame] {
        [
            post, HTTP2Frame(.data, stream: 1, [1]),
            HTTP2Frame(.headers, flags: flags, stream: 1, HTTP2Frame.block(fields)),
        ]
    }

    static let streamErrors: [Case] = [
        malformed("8.2.1 a name in upper case", ("X-A", "b")),
        malformed("8.2.1 a line feed in a value", ("x", "a\nb")),
        malformed("8.2.1 a space before a value", ("x", " a")),
        malformed("8.2.2 connection", ("connection", "close")),
        malformed("8.2.2 keep-alive", ("keep-alive", "1")),
        malformed("8.2.2 proxy-connection", ("proxy-connection", "close")),
        malformed("8.2.2 transfer-encoding", ("transfer-encoding", "chunked")),
        malformed("8.2.2 upgrade", ("upgrade", "websocket")),
        malformed("8.2.2 te other than trailers", ("te", "gzip")),
        malformed("8.3 a pseudo field after others", without: ":path", ("a", "b"), (":path", "/")),
        malformed("8.3 an unknown pseudo field", (":foo", "x")),
        malformed("8.3 a pseudo field of responses", (":status", "200")),
        malformed("8.3.1 no method", without: ":method"),
        malformed("8.3.1 no scheme", without: ":scheme"),
        malformed("8.3.1 no path", without: ":path"),
        malformed("8.3.1 an empty path", without: ":path", (":path", "")),
        malformed("8.3.1 two paths", (":path", "/")),
        malformed("8.3.1 no authority and no host", without: ":authority"),
        malformed("8.5 extended CONNECT, which is not offered", (":protocol", "websocket")),
        Case("8.1.1 a body shorter than its length", body("5", [1, 2, 3]), "PROTOCOL_ERROR"),
        Case("8.1.1 a body longer than its length", body("2", [1, 2, 3]), "PROTOCOL_ERROR"),
        Case("8.1.1 a negative length", body("-2", [1, 2]), "PROTOCOL_ERROR"),
        Case("8.1.1 a length without a body", [.request(1, "POST", "/x", [("content-length", "5")])], "PROTOCOL_ERROR"),
        Case("8.1 a pseudo field in trailers", trailers([(":path", "/")]), "PROTOCOL_ERROR"),
        Case("8.1 trailers that do not end the request", trailers([("a", "b")], flags: 4), "PROTOCOL_ERROR"),
        Case(
            "6.9.1 DATA beyond the window",
            [post] + Array(repeating: HTTP2Frame(.data, stream: 1, Array(repeating: 1, count: 16_384)), count: 5),
            "FLOW_CONTROL_ERROR"
        ),
        Case(
            "6.9.1 a window above the maximum",
            [post, HTTP2Frame(.windowUpdate, stream: 1, [0x7f, 0xff, 0xff, 0xff])],
            "FLOW_CONTROL_ERROR"
        ),
    ]

    @Test("an error of a stream resets it; the next request is received", arguments: streamErrors)
    func streamError(sent wrong: Case) throws {
        try channel.writeInbound(ByteBuffer(bytes: wrong.bytes))
        #expect(ends(try sent()) == ["RST_STREAM 1 \(wrong.end)"])
        #expect(!recorder.lines.contains("end 1") && recorder.lines.last == "closed 1")
        try receive(.request(3))
        #expect(recorder.lines.suffix(2) == ["head 3", "end 3"] && channel.isActive)
    }

    @Test("5.1.2 one more stream than allowed is refused before the client has seen the limit, and an error after it")
    func maxStreams() throws {
        try open()
        for number in UInt32(0)..<128 { try receive(.request(2 * number + 1, "POST", "/x", isLast: false)) }
        #expect(ends(try sent()) == [])
        try receive(.request(257))
        #expect(ends(try sent()) == ["RST_STREAM 257 REFUSED_STREAM"])
        try receive(HTTP2Frame(.settings, flags: HTTP2Frame.end), .request(259))
        #expect(ends(try sent()) == ["GOAWAY PROTOCOL_ERROR"])
    }

    // MARK: Requests

    @Test("the first frame is SETTINGS with the limits, before the client has sent anything")
    func settings() throws {
        let frames = try sent()
        #expect(frames.first?.kind == .settings)
        let payload = frames.first?.payload ?? []
        let values = stride(from: 0, to: payload.count, by: 6).map { place in
            (payload[place + 1], HTTP2Frame(.settings, payload).number(at: place + 2))
        }
        #expect(values.first { $0.0 == 3 }?.1 == 128)
        #expect(values.first { $0.0 == 6 }?.1 == 1000)
        #expect(!values.contains { $0.0 == 8 }, "WebSocket over HTTP/2 is offered")
    }

    @Test("SETTINGS and PING are acknowledged, an unknown frame is ignored")
    func acknowledgements() throws {
        try channel.writeInbound(ByteBuffer(bytes: HTTP2Frame.opening))
        #expect(try sent().contains { $0.kind == .settings && $0.flags == HTTP2Frame.end })
        let ping = HTTP2Frame(.ping, [1, 2, 3, 4, 5, 6, 7, 8])
        try receive(HTTP2Frame(type: 0x42, stream: 5, [1, 2]), ping)
        #expect(try sent() == [HTTP2Frame(.ping, flags: HTTP2Frame.end, ping.payload)])
    }

    @Test("a request arrives in parts of any size: head, cookies as one field, body, and no trailers")
    func request() throws {
        let fields = [("cookie", "a=b"), ("x-y", "z"), ("cookie", "c=d")]
        let frames: [HTTP2Frame] = [
            .request(1, "POST", "/x?y", fields, isLast: false), HTTP2Frame(.data, stream: 1, Array("on".utf8)),
            // Two bytes of padding.
            HTTP2Frame(.data, flags: 8, stream: 1, [2] + Array("e".utf8) + [0, 0]),
            HTTP2Frame(.headers, flags: 5, stream: 1, HTTP2Frame.block([("x-late", "1")])),
        ]
        for byte in HTTP2Frame.opening + frames.flatMap(\.bytes) { try channel.writeInbound(ByteBuffer(bytes: [byte])) }
        #expect(recorder.lines.first == "head 1" && recorder.lines.last == "end 1")
        #expect(recorder.lines.compactMap { $0.split(separator: " ").dropFirst(2).first }.joined() == "one")
        let head = try #require(recorder.heads.first)
        #expect((head.method, head.scheme, head.authority, head.path) == ("POST", "http", "h", "/x?y"))
        #expect(head.fields.map { "\($0.name): \($0.value)" } == ["cookie: a=b; c=d", "x-y: z"])
        #expect(!head.isLast && !head.isTruncated)
    }

    @Test("fields beyond the limits are not kept, and the head is marked", arguments: [(1, 1000), (11, 1)])
    func truncatedHead(count: Int, length: Int) throws {
        try open()
        let fields = (0..<count).map { ("x-\($0)", String(repeating: "v", count: length)) }
        try receive(.request(1, "GET", "/", fields))
        let head = try #require(recorder.heads.first)
        #expect(head.isTruncated && head.isLast && head.fields.count < count)
    }

    @Test("an incomplete head is reported until it is complete, an incomplete body is not")
    func incomplete() throws {
        try open()
        #expect(!recorder.isWithinHead)
        let head = HTTP2Frame.request(1, "POST", "/x", isLast: false).bytes
        try channel.writeInbound(ByteBuffer(bytes: head.dropLast()))
        #expect(recorder.isWithinHead)
        try channel.writeInbound(
            ByteBuffer(bytes: head.suffix(1) + HTTP2Frame(.data, stream: 1, [1, 2]).bytes.dropLast())
        )
        #expect(!recorder.isWithinHead)
    }

    @Test("a response that is never sent up to its last byte arrives whole and in order")
    func backlog() throws {
        try open()
        try receive(.request(1), HTTP2Frame(.windowUpdate, HTTP2Frame.number(1 << 20)))
        handler.respond(stream: 1, status: 200, fields: [], hasBody: true)
        var (written, read): ([UInt8], [UInt8]) = ([], [])
        // The first piece is longer than the stream's window.
        for number in 0..<101 {
            let piece = (0..<(number == 0 ? 70_000 : 1000)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
            written += piece
            handler.write(ByteBuffer(bytes: piece), stream: 1, isLast: number == 100)
            handler.flush()
            #expect(handler.unsentBytes(of: 1) > 0)
            try receive(HTTP2Frame(.windowUpdate, stream: 1, HTTP2Frame.number(number == 100 ? 1 << 20 : 1000)))
            read += try sent().filter { $0.kind == .data }.flatMap(\.payload)
        }
        #expect(read == written && recorder.lines.contains("sent 1"))
    }

    @Test("RFC 8441: extended CONNECT arrives with its protocol where it is offered")
    func extendedConnect() throws {
        var configuration = HTTP2StreamConfiguration(maxHeadBytes: 1000, maxFields: 10)
        configuration.takesExtendedConnect = true
        let recorder = Recorder()
        let channel = EmbeddedChannel(
            handler: try HTTP2StreamHandler(configuration: configuration, owner: recorder)
        )
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let connect = HTTP2Frame.request(1, "CONNECT", "/x", [(":protocol", "websocket")], isLast: false)
        let tunnel = HTTP2Frame.block([(":method", "CONNECT"), (":authority", "h")])
        let frames = [connect, HTTP2Frame(.headers, flags: HTTP2Frame.endHeaders, stream: 3, tunnel), .request(5)]
        try channel.writeInbound(ByteBuffer(bytes: HTTP2Frame.opening + frames.flatMap(\.bytes)))
        #expect(recorder.heads.map(\.connectProtocol) == ["websocket", nil, nil])
        #expect(recorder.heads.map(\.path) == ["/x", nil, "/livez"] && recorder.heads.allSatisfy(\.fields.isEmpty))
        _ = try channel.finish()
    }

    @Test("6.9 windows are granted for bytes that were consumed, and for no others")
    func windows() throws {
        try open()
        let piece = HTTP2Frame(.data, stream: 1, Array(repeating: 1, count: 16_000))
        try receive(Self.post, piece, piece, piece, piece)
        #expect(try sent().isEmpty)
        handler.consume(stream: 1, bytes: 64_000)
        handler.flush()
        #expect(try sent() == [HTTP2Frame(.windowUpdate, stream: 1, HTTP2Frame.number(64_000))])
        // The window of the connection is larger, and is granted with half of it.
        for stream: UInt32 in [3, 5] {
            try receive(.request(stream, "POST", "/x", isLast: false))
            for _ in 0..<4 { try receive(HTTP2Frame(.data, stream: stream, piece.payload)) }
        }
        try receive(HTTP2Frame(.reset, stream: 3, [0, 0, 0, 8]))
        #expect(try sent().isEmpty)
        // Also those of a stream that has ended.
        handler.consume(stream: 3, bytes: 64_000)
        handler.consume(stream: 5, bytes: 10_000)
        handler.flush()
        #expect(try sent() == [HTTP2Frame(.windowUpdate, stream: 0, HTTP2Frame.number(138_000))])
    }

    // MARK: Responses

    private func respond(_ stream: Int32, _ text: String?) {
        handler.respond(stream: stream, status: 200, fields: [("x-a", "b")], hasBody: text != nil)
        if let text { handler.write(ByteBuffer(string: text), stream: stream, isLast: true) }
    }

    @Test("responses are sent with their bodies, and without one as a single frame")
    func responses() throws {
        try open()
        recorder.onEnd = { [self] in respond(Int32($0), $0 == 1 ? "text" : nil) }
        try receive(.request(1), .request(3))
        let frames = try sent()
        #expect(frames.filter { $0.stream == 1 }.map(\.kind) == [.headers, .data])
        #expect(
            frames.first { $0.kind == .data } == HTTP2Frame(.data, flags: HTTP2Frame.end, stream: 1, Array("text".utf8))
        )
        let alone = frames.filter { $0.stream == 3 }
        #expect(alone.count == 1 && alone.first?.flags == HTTP2Frame.end | HTTP2Frame.endHeaders)
        #expect(Set(recorder.lines.suffix(4)) == ["sent 1", "closed 1", "sent 3", "closed 3"])
        let reader = HTTP2BlockReader()
        let first = try #require(reader.fields(of: frames.first { $0.kind == .headers }?.payload ?? []))
        #expect(first.map { "\($0.name) \($0.value)" } == [":status 200", "x-a b"])
    }

    @Test("a response in pieces waits for each of them, and for its end")
    func streamedResponse() throws {
        try open()
        try receive(.request(1))
        handler.respondInterim(stream: 1, status: 100)
        handler.respond(stream: 1, status: 200, fields: [], hasBody: true)
        handler.flush()
        #expect(try sent().map(\.kind) == [.headers, .headers])
        for text in ["one", "two"] {
            handler.write(ByteBuffer(string: text), stream: 1, isLast: false)
            handler.flush()
            #expect(try sent() == [HTTP2Frame(.data, stream: 1, Array(text.utf8))])
        }
        handler.write(ByteBuffer(), stream: 1, isLast: true)
        handler.flush()
        #expect(try sent() == [HTTP2Frame(.data, flags: HTTP2Frame.end, stream: 1)])
        #expect(recorder.lines.suffix(2) == ["sent 1", "closed 1"])
    }

    @Test("6.9.1 a response is sent as far as the client's windows allow")
    func tinyWindow() throws {
        try channel.writeInbound(ByteBuffer(bytes: HTTP2Frame.preface + Self.setting(4, 3).bytes))
        _ = try sent()
        try receive(.request(1), .request(3))
        respond(1, "abcdefg")
        respond(3, "xy")
        handler.flush()
        func data() throws -> [String] {
            try sent().filter { $0.kind == .data }.map { "\($0.stream) " + String(decoding: $0.payload, as: UTF8.self) }
        }
        #expect(Set(try data()) == ["1 abc", "3 xy"])
        #expect(handler.unsentBytes(of: 1) == 4 && handler.unsentBytes == 4)
        try receive(HTTP2Frame(.windowUpdate, stream: 1, [0, 0, 0, 1]))
        #expect(try data() == ["1 d"])
        try receive(HTTP2Frame(.windowUpdate, stream: 1, [0, 0, 0, 99]))
        #expect(try data() == ["1 efg"])
        #expect(handler.unsentBytes == 0 && recorder.lines.suffix(2) == ["sent 1", "closed 1"])
    }

    @Test("a response whose stream the client resets is dropped")
    func droppedResponse() throws {
        try channel.writeInbound(ByteBuffer(bytes: HTTP2Frame.preface + Self.setting(4, 0).bytes))
        try receive(.request(1))
        respond(1, "text")
        handler.flush()
        #expect(handler.unsentBytes == 4)
        try receive(HTTP2Frame(.reset, stream: 1, [0, 0, 0, 8]))
        #expect(handler.unsentBytes == 0 && recorder.lines.last == "closed 1")
        respond(1, "late")
        handler.flush()
        #expect(!(try sent().contains { $0.kind == .data }))
    }

    @Test("8.1 a response before the end of its request is complete before NO_ERROR resets the stream")
    func earlyResponse() throws {
        try open()
        try receive(Self.post)
        respond(1, "early")
        handler.flush()
        #expect(recorder.lines.last == "sent 1")
        handler.reset(stream: 1, .noError)
        handler.flush()
        let frames = try sent()
        #expect(frames.map(\.kind) == [.headers, .data, .reset])
        #expect(ends(frames) == ["RST_STREAM 1 NO_ERROR"])
    }

    // MARK: Stop

    @Test("6.8 a stop sends GOAWAY twice, serves requests that are on their way, and closes after the last response")
    func stop() throws {
        try open()
        recorder.onStop = { [self] in handler.stop() }
        try receive(.request(1))
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        let first = try sent()
        #expect(first.first { $0.kind == .goAway }?.number(at: 0) == 0x7fff_ffff)
        let ping = try #require(first.first { $0.kind == .ping })
        try receive(.request(3), HTTP2Frame(.ping, flags: HTTP2Frame.end, ping.payload))
        #expect(recorder.lines.contains("end 3"))
        let second = try sent()
        #expect(second.first { $0.kind == .goAway }?.number(at: 0) == 3)
        try receive(.request(5))
        #expect(!recorder.lines.contains("head 5"))
        respond(1, "one")
        handler.flush()
        #expect(channel.isActive)
        respond(3, nil)
        handler.flush()
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive && recorder.lines.last == "connection closed")
    }

    @Test("6.8 a client that does not answer PING gets the second GOAWAY a second later")
    func silentStop() throws {
        try open()
        handler.stop()
        _ = try sent()
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        #expect(ends(try sent()).isEmpty && channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(ends(try sent()) == ["GOAWAY NO_ERROR"])
        #expect(!channel.isActive)
    }

    @Test("6.8 a client that leaves gets its response, and the connection closes")
    func peerLeaves() throws {
        try open()
        try receive(.request(1), HTTP2Frame(.goAway, Self.eight))
        #expect(channel.isActive)
        respond(1, "last")
        handler.flush()
        #expect(try sent().contains { $0.kind == .data && $0.isEnd })
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
    }
}
