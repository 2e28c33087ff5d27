import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@testable import GatewayHTTP

/// The rules of the gateway on streams of HTTP/2; those of the protocol itself have a suite of their own.
@Suite("The API over HTTP/2", .serialized, .timeLimit(.minutes(10)))
struct HTTP2Tests {
    private static let events = "/v1/brands/acme/events"
    private static let impatient = ServerLimits(requestTimeout: .milliseconds(200))
    private static let cancel: [UInt8] = [0, 0, 0, 8]

    private static func event(_ id: String) -> String {
        #"{"id":"\#(id)","type":"agent.message","consumer":"u-1","conversation":"c-1","text":"hello"}"#
    }

    // MARK: Requests and responses

    @Test("routes respond as over HTTP/1.1: bodies, HEAD, 204, 304, errors, and the caller's request id")
    func routes() async throws {
        let log = CapturedLog()
        try await TestGateway.run(.live, logger: log.logger) { api in
            try await api.makeBrand()
            let client = try HTTP2Client(api)
            client.request(1, "POST", Self.events, body: Self.event("e-1"))
            let accepted = try #require(await client.response(1))
            #expect(accepted.status == "202" && accepted.body.contains(#""results""#), "\(accepted)")
            #expect(accepted.headers["content-type"] == "application/json" && accepted.headers["date"] != nil)
            #expect(accepted.headers["x-content-type-options"] == "nosniff")

            client.request(3, "GET", "/v1/brands/acme")
            let brand = try #require(await client.response(3))
            let tag = try #require(brand.headers["etag"])
            #expect(brand.status == "200" && brand.headers["content-length"] == String(brand.body.utf8.count))
            client.request(5, "HEAD", "/v1/brands/acme")
            let head = try #require(await client.response(5))
            #expect(head.status == "200" && head.body.isEmpty)
            #expect(head.headers["content-length"] == brand.headers["content-length"])
            client.request(7, "GET", "/v1/brands/acme", [("if-none-match", tag)])
            let known = try #require(await client.response(7))
            #expect(known.status == "304" && known.body.isEmpty && known.headers["etag"] == tag)
            client.request(9, "DELETE", "/v1/brands/acme")
            let deleted = try #require(await client.response(9))
            #expect(deleted.status == "204" && deleted.body.isEmpty && deleted.headers["content-length"] == nil)

            client.request(11, "GET", "/nowhere", [("x-request-id", "given-by-the-caller")])
            let missing = try #require(await client.response(11))
            #expect(missing.status == "404" && missing.body.contains(#""requestId":"given-by-the-caller""#))
            #expect(missing.headers["x-request-id"] == "given-by-the-caller")
            #expect(log.text.contains("given-by-the-caller"))
            // A window is opened by CONNECT; the fields of an upgrade of HTTP/1.1 are not sent.
            client.request(13, "GET", "/v1/brands/acme/window")
            let window = try #require(await client.response(13))
            #expect(window.status == "426" && window.headers["sec-websocket-version"] == "13")
            #expect(window.headers["upgrade"] == nil && window.headers["connection"] == nil)
        }
    }

    @Test("requests of one connection are handled at the same time, and their responses come in any order")
    func multiplexing() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let client = try HTTP2Client(api)
            // The first waits for its body.
            client.send(.request(1, "POST", Self.events, [HTTP2Client.admin], isLast: false))
            for stream in stride(from: UInt32(3), to: 43, by: 2) { client.request(stream, "GET", "/v1/brands/acme") }
            for stream in stride(from: UInt32(3), to: 43, by: 2) {
                #expect(await client.response(stream)?.status == "200")
            }
            let end = HTTP2Frame(.data, flags: HTTP2Frame.end, stream: 1, Array(Self.event("e-1").utf8))
            client.send(end)
            #expect(await client.response(1)?.status == "202")
        }
    }

    @Test(
        "the host is the authority or a host field, and one that differs is rejected",
        arguments: [
            ([(":authority", "h")], "200"), ([("host", "h")], "200"), ([(":authority", "h"), ("host", "h")], "200"),
            ([(":authority", "h"), ("host", "other")], "400"),
        ]
    )
    func hosts(fields: [(String, String)], status: String) async throws {
        try await TestGateway.run(.live) { api in
            let client = try HTTP2Client(api)
            let pseudo = [(":method", "GET"), (":scheme", "http"), (":path", "/livez")]
            let block = HTTP2Frame.block(pseudo + fields)
            client.send(HTTP2Frame(.headers, flags: HTTP2Frame.end | HTTP2Frame.endHeaders, stream: 1, block))
            #expect(await client.response(1)?.status == status)
        }
    }

    @Test("a body longer than the window arrives as the route reads it")
    func longBody() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let client = try HTTP2Client(api)
            let body = "[" + String(repeating: " ", count: 150_000) + Self.event("e-1") + "]"
            var rest = Array(body.utf8)[...]
            var window = 65_535
            client.send(.request(1, "POST", Self.events, [HTTP2Client.admin], isLast: false))
            while !rest.isEmpty {
                let piece = Array(rest.prefix(10_000))
                rest = rest.dropFirst(10_000)
                while window < piece.count {
                    let update = try #require(await client.next(.windowUpdate, stream: 1))
                    window += Int(update.number(at: 0))
                }
                window -= piece.count
                client.send(HTTP2Frame(.data, flags: rest.isEmpty ? HTTP2Frame.end : 0, stream: 1, piece))
            }
            let response = try #require(await client.response(1))
            #expect(response.status == "202" && response.body.contains(#""results""#), "\(response)")
        }
    }

    @Test("a body without a length, and one that is too long, have the limits of HTTP/1.1")
    func bodyLimits() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let client = try HTTP2Client(api)
            let length = ("content-length", "99999999")
            // The response does not wait for the body: the client asks first, sends its beginning, or nothing.
            client.send(
                .request(
                    1,
                    "POST",
                    Self.events,
                    [HTTP2Client.admin, length, ("expect", "100-continue")],
                    isLast: false
                )
            )
            #expect(await client.response(1)?.status == "413")
            client.send(.request(3, "POST", Self.events, [HTTP2Client.admin, length], isLast: false))
            client.send(HTTP2Frame(.data, stream: 3, [UInt8(ascii: "[")]))
            #expect(await client.response(3)?.status == "413")
            // What follows is dropped, and the connection is served on.
            client.send(HTTP2Frame(.data, stream: 3, Array(repeating: 32, count: 10_000)))
            client.send(HTTP2Frame(.reset, stream: 3, Self.cancel))
            client.send(.request(5, "POST", Self.events, [HTTP2Client.admin, length], isLast: false))
            #expect(await client.response(5)?.status == "413")
            client.request(7, "GET", "/v1/brands/acme")
            #expect(await client.response(7)?.status == "200")
        }
    }

    @Test("a body that is sent on after its response is dropped, up to a length at which NO_ERROR resets the stream")
    func droppedBody() async throws {
        let limits = ServerLimits(requestTimeout: .seconds(3600), startTimeout: .seconds(3600))
        try await TestGateway.run(.live, limits: limits) { api in
            try await api.makeBrand()
            let client = try HTTP2Client(api)
            let length = ("content-length", "99999999")
            client.send(.request(1, "POST", Self.events, [HTTP2Client.admin, length], isLast: false))
            #expect(await client.response(1)?.status == "413")
            let piece = [UInt8](repeating: UInt8(ascii: " "), count: 16_384)
            var (sent, window) = (0, 65_535)
            while sent <= 1 << 20 {
                while window < piece.count {
                    window += Int(try #require(await client.next(.windowUpdate, stream: 1)).number(at: 0))
                }
                client.send(HTTP2Frame(.data, stream: 1, piece))
                sent += piece.count
                window -= piece.count
            }
            #expect(try #require(await client.next(.reset, stream: 1)).number(at: 0) == 0)
            client.request(3, "GET", "/v1/brands/acme")
            #expect(await client.response(3)?.status == "200")
        }
    }

    @Test("Expect: 100-continue is answered, another Expect is 417, and an unknown Content-Encoding 415")
    func expectations() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let client = try HTTP2Client(api)
            let body = Self.event("e-1")
            let fields = [HTTP2Client.admin, ("content-length", String(body.utf8.count))]
            client.send(.request(1, "POST", Self.events, fields + [("expect", "100-continue")], isLast: false))
            let interim = try #require(await client.next(.headers, stream: 1))
            #expect(!interim.isEnd)
            client.send(HTTP2Frame(.data, flags: HTTP2Frame.end, stream: 1, Array(body.utf8)))
            #expect(await client.response(1)?.status == "202")
            client.request(3, "POST", Self.events, [("content-encoding", "br")], body: body)
            #expect(await client.response(3)?.status == "415")
            client.request(5, "POST", Self.events, [("expect", "200-ok")], body: body)
            #expect(await client.response(5)?.status == "417")
        }
    }

    @Test("a head that is too large gets 431")
    func largeHead() async throws {
        try await TestGateway.run(.live) { api in
            let client = try HTTP2Client(api)
            let fields = (0..<3).map { ("x-\($0)", String(repeating: "v", count: 30_000)) }
            let block = HTTP2Frame.request(1, "GET", "/livez", fields).payload
            let pieces = stride(from: 0, to: block.count, by: 16_384).map {
                Array(block[$0..<min($0 + 16_384, block.count)])
            }
            for (number, piece) in pieces.enumerated() {
                let flags = number == pieces.count - 1 ? HTTP2Frame.endHeaders : 0
                if number == 0 {
                    client.send(HTTP2Frame(.headers, flags: HTTP2Frame.end | flags, stream: 1, piece))
                } else {
                    client.send(HTTP2Frame(.continuation, flags: flags, stream: 1, piece))
                }
            }
            let response = try #require(await client.response(1))
            #expect(response.status == "431" && response.body.contains(#""code":"invalid_request""#))
            client.request(3, "GET", "/livez")
            #expect(await client.response(3)?.status == "200")
        }
    }

    @Test("without server.http2 the preface is an invalid request")
    func turnedOff() async throws {
        try await TestGateway.run(.live, isHTTP2Spoken: false) { api in
            let client = try RawClient(port: try #require(api.client.port))
            client.send(bytes: HTTP2Frame.opening)
            client.endOfInput()
            #expect(try #require(await client.readToEnd()).hasPrefix("HTTP/1.1 "))
        }
    }

    // MARK: Slow peers

    /// Runs a test, and checks afterwards that the next caller is served.
    private static func run(
        _ limits: ServerLimits,
        metrics: TestMetrics = TestMetrics(),
        _ test: @escaping @Sendable (API) async throws -> Void
    ) async throws {
        let log = CapturedLog()
        try await TestGateway.run(.live, limits: limits, metrics: metrics, logger: log.logger) { api in
            try await api.makeBrand()
            try await test(api)
            let next = try HTTP2Client(api)
            next.request(1, "GET", "/livez")
            #expect(await next.response(1)?.status == "200")
            // A slow caller is not an error of the gateway.
            #expect(!log.text.contains("error a request failed unexpectedly"))
        }
    }

    private static func cutOff(_ reason: String) -> String { #"switchboard_http_cut_off_total{reason="\#(reason)"}"# }

    @Test("a body that is not completed gets 408, and its stream is reset; the connection is served on")
    func slowBody() async throws {
        let metrics = TestMetrics()
        try await Self.run(Self.impatient, metrics: metrics) { api in
            let client = try HTTP2Client(api)
            let fields = [HTTP2Client.admin, ("x-request-id", "mine"), ("content-length", "100")]
            client.send(.request(1, "POST", Self.events, fields, isLast: false))
            client.send(HTTP2Frame(.data, stream: 1, [UInt8(ascii: "{")]))
            let response = try #require(await client.response(1))
            #expect(response.status == "408" && response.body.contains(#""requestId":"mine""#), "\(response)")
            #expect(try #require(await client.next(.reset, stream: 1)).number(at: 0) == 0)
            #expect(metrics.value(Self.cutOff("slow_body")) == 1)
            client.request(3, "GET", "/livez")
            #expect(await client.response(3)?.status == "200")
        }
    }

    @Test("when an unneeded body does not arrive, the stream is reset without an error after its response")
    func unneededBody() async throws {
        // Long enough for the response on a busy host.
        try await Self.run(ServerLimits(requestTimeout: .seconds(5))) { api in
            let client = try HTTP2Client(api)
            client.send(.request(1, "GET", "/livez", isLast: false))
            #expect(await client.response(1)?.status == "200")
            #expect(try #require(await client.next(.reset, stream: 1)).number(at: 0) == 0)
        }
    }

    @Test("a head that is not completed closes the connection", arguments: [0, 1, 2])
    func slowHead(part: Int) async throws {
        let metrics = TestMetrics()
        try await Self.run(Self.impatient, metrics: metrics) { api in
            let client = try RawClient(port: try #require(api.client.port))
            let request = HTTP2Frame.request(1)
            let open = HTTP2Frame(.headers, flags: HTTP2Frame.end, stream: 1, request.payload).bytes
            let bytes = [
                HTTP2Frame.opening.dropLast(3), HTTP2Frame.opening + request.bytes.dropLast(),
                HTTP2Frame.opening + open,
            ][part]
            client.send(bytes: Array(bytes))
            #expect(await client.readToEnd() != nil)
            #expect(metrics.value(Self.cutOff("slow_head")) == 1)
        }
    }

    @Test("a caller that opens no window for its response loses the stream")
    func slowReader() async throws {
        let metrics = TestMetrics(response: String(repeating: "#", count: 200_000))
        try await Self.run(Self.impatient, metrics: metrics) { api in
            // INITIAL_WINDOW_SIZE of 10.
            let client = try HTTP2Client(api, settings: [0, 4, 0, 0, 0, 10])
            client.request(1, "GET", "/metrics")
            let response = try #require(await client.response(1))
            #expect(response.status == "200" && response.body.utf8.count == 10 && response.resetCode == 8)
            #expect(metrics.value(Self.cutOff("slow_reader")) == 1)
            client.request(3, "HEAD", "/livez")
            #expect(await client.response(3)?.status == "200")
        }
    }

    @Test("a flood of frames ends the connection with ENHANCE_YOUR_CALM")
    func flood() async throws {
        let metrics = TestMetrics()
        try await Self.run(Self.impatient, metrics: metrics) { api in
            let client = try HTTP2Client(api)
            let ping = HTTP2Frame(.ping, Array(repeating: 0, count: 8))
            client.socket.send(bytes: Array(repeating: ping.bytes, count: 400).flatMap(\.self))
            #expect(try #require(await client.next(.goAway)).number(at: 4) == 0xb)
            #expect(metrics.value(Self.cutOff("flood")) == 1)
        }
    }

    // MARK: Limits

    @Test("streams count for the limit of an address like connections; health checks are served")
    func streamsPerAddress() async throws {
        let metrics = TestMetrics()
        var limits = ServerLimits(connectionsPerAddress: 2, trustedProxies: [])
        limits.ownAddresses = []
        try await TestGateway.run(.live, limits: limits, metrics: metrics) { api in
            try await api.makeBrand()
            let client = try HTTP2Client(api, from: 2)
            let waiting = HTTP2Frame.request(1, "POST", Self.events, [HTTP2Client.admin], isLast: false).payload
            for stream: UInt32 in [1, 3] {
                client.send(HTTP2Frame(.headers, flags: HTTP2Frame.endHeaders, stream: stream, waiting))
            }
            client.request(5, "GET", "/v1/brands/acme")
            let surplus = try #require(await client.response(5))
            #expect(surplus.status == "503" && surplus.headers["retry-after"] == "5")
            #expect(surplus.body.contains("This address has too many connections open."))
            #expect(metrics.value(#"switchboard_http_refused_total{limit="address_connections"}"#) == 1)
            client.request(7, "GET", "/livez")
            #expect(await client.response(7)?.status == "200")
            let other = try HTTP2Client(api, from: 3)
            other.request(1, "GET", "/v1/brands/acme")
            #expect(await other.response(1)?.status == "200")
            // A stream that was reset makes room when its request has ended.
            client.send(HTTP2Frame(.reset, stream: 3, Self.cancel))
            var (stream, status) = (UInt32(9), "503")
            while status == "503" {
                try Task.checkCancellation()
                client.request(stream, "GET", "/v1/brands/acme")
                status = try #require(await client.response(stream)).status
                stream += 2
            }
            #expect(status == "200")
        }
    }

    @Test("a connection beyond the limit gets one response, and ends")
    func surplusConnection() async throws {
        let metrics = TestMetrics()
        try await TestGateway.run(.live, limits: ServerLimits(maxConnections: 1), metrics: metrics) { api in
            _ = try await api.call(.get, "/livez")
            #expect(await metrics.reaches("switchboard_http_open_connections", 1))
            let client = try HTTP2Client(api)
            client.request(1, "GET", "/v1/brands")
            let response = try #require(await client.response(1))
            #expect(response.status == "503" && response.body.contains("Too many connections are open."))
            #expect(await client.next(.goAway) != nil)
            #expect(await client.next(.data, stream: 99) == nil)
        }
    }

    // MARK: Streamed responses

    @Test("a stream of deliveries sends its events, and its slot is free again when the client resets it")
    func deliveryStream() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let client = try HTTP2Client(api)
            var stream: UInt32 = 1
            func open() async throws -> UInt32 {
                while true {
                    try Task.checkCancellation()
                    defer { stream += 2 }
                    client.request(stream, "GET", "/v1/brands/acme/deliveries/tail")
                    // The head of a stream does not end it; an error does, with its body.
                    let head = try #require(await client.next(.headers, stream: stream))
                    let data = try #require(await client.next(.data, stream: stream))
                    if !data.isEnd {
                        #expect(!head.isEnd && String(decoding: data.payload, as: UTF8.self).hasSuffix("id: 0\n\n"))
                        return stream
                    }
                }
            }
            for _ in 0..<2 {
                var streams: [UInt32] = []
                for _ in 0..<DeliveryTail.brandLimit { streams.append(try await open()) }
                for open in streams { client.send(HTTP2Frame(.reset, stream: open, Self.cancel)) }
            }
            // Also when the whole connection ends.
            for _ in 0..<DeliveryTail.brandLimit { _ = try await open() }
            client.socket.endOfInput()
            let next = try HTTP2Client(api)
            stream = 1
            var status = "503"
            while status == "503" {
                try Task.checkCancellation()
                next.request(stream, "HEAD", "/v1/brands/acme/deliveries/tail")
                status = try #require(await next.response(stream)).status
                stream += 2
            }
            #expect(status == "200")
        }
    }

    @Test("an export is streamed whole")
    func export() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            try await api.post("e-1")
            let client = try HTTP2Client(api)
            client.request(1, "GET", "/v1/brands/acme/consumers/u-1/export")
            let response = try #require(await client.response(1))
            #expect(response.status == "200" && response.headers["x-accel-buffering"] == "no")
            #expect(
                response.body.hasPrefix(#"{"exportedAt":"#) && response.body.hasSuffix("]}")
                    && response.resetCode == nil
            )
        }
    }
}
