import Delivery
import HTTPTypes
import HummingbirdTesting
import Messaging
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Telemetry
import TestSupport
import Testing

@testable import GatewayHTTP

private let events = "/v1/brands/acme/events"

/// The events route on the event loop, compared with the router's, which handles requests with a query.
@Suite("Events without the router", .serialized, .timeLimit(.minutes(10)))
struct DirectEventTests {
    private static let last = "GET /livez HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
    private static let json = "Content-Type: application/json\r\nX-Request-Id: mine\r\n"

    private static func event(_ id: String, consumer: String = "u-1") -> String {
        #"{"id":"\#(id)","type":"agent.message","consumer":"\#(consumer)","conversation":"c-1","text":"hello"}"#
    }

    private static func request(
        _ body: String,
        _ fields: String = json,
        path: String = events,
        as credential: Credential = .admin
    ) -> String {
        let authorization = credential.header.map { "Authorization: \($0)\r\n" } ?? ""
        return "POST \(path) HTTP/1.1\r\nHost: h\r\n\(authorization)\(fields)"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Returns the responses of a connection in their order, without what differs each time.
    private static func responses(_ text: String) -> [String] {
        text.split(separator: "HTTP/1.1 ").map { response in
            response.split(separator: "\r\n", omittingEmptySubsequences: false)
                .filter { !$0.lowercased().hasPrefix("date:") }
                .joined(separator: "\n")
                .replacing(/;r=\d+;t=\d+/, with: ";r=0;t=0")
        }
    }

    private static func statuses(_ text: String?) -> [String] { responses(text ?? "").map { String($0.prefix(3)) } }

    /// Sends a request and, in the same bytes, another one; returns the response to the first.
    private static func response(_ request: String, _ port: Int) async throws -> String {
        let client = try RawClient(port: port)
        client.send(request + last)
        let all = responses(try #require(await client.readToEnd()))
        #expect(all.last?.hasPrefix("200") == true, "\(all)")
        return try #require(all.first)
    }

    private static func envelope(_ id: String) -> String {
        #"{"specversion":"1.0","id":"\#(id)","source":"s","type":"agent.message","#
            + #""data":{"consumer":"u-1","conversation":"c-1","text":"hello"}}"#
    }

    @Test("responses and log lines are the router's, for valid requests and for every kind of invalid ones")
    func sameResponses() async throws {
        let log = CapturedLog()
        try await TestGateway.run(.live, logger: log.logger) { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            let port = try #require(api.client.port)
            let account = try await api.makeAccount("acme", "events:write")
            let reader = try await api.makeAccount("acme", "deliveries:read")
            let stranger = try await api.makeAccount("other", "events:write")
            let session = try await api.makeSession()
            func typed(_ type: String) -> String { "X-Request-Id: mine\r\nContent-Type: \(type)\r\n" }
            let attributes = "ce-specversion: 1.0\r\nce-id: b-1\r\nce-type: agent.message\r\nce-source: s\r\n"
            let data = #"{"consumer":"u-1","conversation":"c-1","text":"hello"}"#
            let two = [Self.event("l-1"), Self.event("l-2")]
            // Of a conversation that this consumer does not have.
            let read = #"{"id":"r-1","type":"messages.read","consumer":"u-3","conversation":"c-1","upToSequence":1}"#
            let cases: [(body: String, fields: String, credential: Credential, status: String)] = [
                (Self.event("e-1"), Self.json, .admin, "202"), (Self.event("e-1"), Self.json, account, "202"),
                ("[\(two.joined(separator: ","))]", Self.json, account, "202"),
                (two.joined(separator: "\n"), typed("application/x-ndjson"), .admin, "202"),
                ("[{},5,\(Self.event("e-1")),{\"id\":\"x\"}]", Self.json, .admin, "202"),
                ("\(Self.event("e-1"))\nnonsense", typed("application/x-ndjson"), .admin, "202"),
                ("[]", Self.json, .admin, "202"), (" [ ] ", Self.json, .admin, "202"),
                (Self.envelope("c-1"), typed("application/cloudevents+json"), .admin, "202"),
                ("[\(Self.envelope("c-1"))]", typed("application/cloudevents-batch+json"), .admin, "202"),
                (data, typed("application/json") + attributes, .admin, "202"),
                (Self.event("e-1"), Self.json + "Connection: Keep-Alive\r\n", .admin, "202"),
                (Self.event("e-1"), Self.json + "X-Forwarded-For: 192.0.2.1\r\n", .admin, "202"),
                (Self.event("e-1"), Self.json + "Content-Encoding: br\r\n", .admin, "415"),
                (Self.event("e-1"), Self.json + "Origin: https://example.com\r\n", .admin, "202"),
                (Self.event("e-1"), Self.json, .none, "401"), (Self.event("e-1"), Self.json, .bearer("no"), "401"),
                (Self.event("e-1"), Self.json, .basic("no", "no"), "401"),
                (Self.event("e-1"), Self.json, stranger, "401"), (Self.event("e-1"), Self.json, reader, "403"),
                (Self.event("e-1"), Self.json, session, "403"), (Self.event("e-1"), typed("text/plain"), .admin, "415"),
                ("", Self.json, .admin, "400"), ("{", Self.json, account, "400"), ("5", Self.json, .admin, "400"),
                (#"{"id":"e-9"}"#, Self.json, account, "422"), ("[\(Self.event("e-1")),{]", Self.json, .admin, "400"),
                (read, Self.json, account, "422"),
                (read.replacing("{", with: #"{"id":"r-1","#), Self.json, .admin, "422"),
                (data, typed("application/json") + attributes + "ce-id: b-2\r\n", .admin, "422"),
                ("[" + Array(repeating: "1", count: 600).joined(separator: ",") + "]", Self.json, .admin, "202"),
                ("[" + String(repeating: " ", count: 100_000) + "]", Self.json, .admin, "202"),
            ]
            for (body, fields, credential, status) in cases {
                func answer(_ path: String) async throws -> String {
                    try await Self.response(Self.request(body, fields, path: path, as: credential), port)
                }
                // The first one stores the events: what is compared are responses to the same ones again.
                let first = try await answer(events + "?")
                #expect(first.hasPrefix(status), "\(body.prefix(200)) \(first)")
                let (direct, routed) = (try await answer(events), try await answer(events + "?"))
                #expect(direct == routed, "\(body.prefix(200))")
            }
            let lines = log.text.split(separator: "\n").filter { $0.contains("=mine") }.map { line in
                line.split(separator: " ").filter { !$0.hasPrefix("\(LogKey.milliseconds)=") }
            }
            #expect(lines.count == 3 * cases.count)
            for place in stride(from: 1, to: lines.count - 1, by: 3) { #expect(lines[place] == lines[place + 1]) }
            for path in ["/v1/brands/none/events", "/v1/brands/%61cme/events", "/v1/brands//events", events + "/"] {
                let direct = try await Self.response(Self.request(Self.event("e-1"), path: path), port)
                let routed = try await Self.response(Self.request(Self.event("e-1"), path: path + "?"), port)
                #expect(direct == routed)
            }
        }
    }

    @Test("the responses over HTTP/2 are the router's too")
    func sameResponsesOverHTTP2() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let client = try HTTP2Client(api)
            var stream: UInt32 = 1
            func answer(_ body: String, _ path: String, _ credential: (String, String)) async throws -> String {
                defer { stream += 2 }
                let fields = [credential, ("content-type", "application/json"), ("x-request-id", "mine")]
                client.send(
                    .request(stream, "POST", path, fields, isLast: false),
                    HTTP2Frame(.data, flags: HTTP2Frame.end, stream: stream, Array(body.utf8))
                )
                let response = try #require(await client.response(stream))
                let sorted = response.headers.filter { $0.key != "date" }.sorted { $0.key < $1.key }
                return "\(response.status) \(sorted) \(response.body)"
            }
            for (body, credential, status) in [
                (Self.event("e-1"), HTTP2Client.admin, "202"), ("[\(Self.event("e-1")),{}]", HTTP2Client.admin, "202"),
                ("{", HTTP2Client.admin, "400"), ("", HTTP2Client.admin, "400"),
                (Self.event("e-1"), ("authorization", "Bearer no"), "401"),
            ] {
                let first = try await answer(body, events + "?", credential)
                #expect(first.hasPrefix(status), "\(first)")
                let direct = try await answer(body, events, credential)
                #expect(try await direct == answer(body, events + "?", credential))
            }
        }
    }

    @Test("a caller above its rate limit, and events that are not taken, get the router's responses")
    func rejections() async throws {
        let limits = ServerLimits(rates: RateLimits(accountPerSecond: 1))
        try await TestGateway.run(.live, limits: limits) { api in
            try await api.makeBrand()
            let port = try #require(api.client.port)
            api.data.delivery?.report([.diskSpaceLow])
            let account = try await api.makeAccount("acme", "events:write")
            func answer(_ path: String) async throws -> String {
                try await Self.response(Self.request(Self.event("e-1"), path: path, as: account), port)
            }
            let full = try await answer(events)
            #expect(full.hasPrefix("503"))
            #expect(try await full == answer(events + "?"))
            for _ in 2..<RateLimits.burstSeconds { _ = try await answer(events) }
            let limited = try await answer(events)
            #expect(limited.hasPrefix("429"))
            #expect(try await limited == answer(events + "?"))
        }
    }

    @Test("events that follow each other wait for their commits together, and all responses are in order")
    func pipelining() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let writer = try HeldWriter(api)
            defer { writer.release() }
            let port = try #require(api.client.port)
            let first = try RawClient(port: port)
            first.send(Self.request(Self.event("e-1", consumer: HeldWriter.consumer)))
            await writer.isHeld()
            let client = try RawClient(port: port)
            client.send(["e-2", "e-3", "e-4"].map { Self.request(Self.event($0)) }.joined())
            await writer.waits(for: 3)
            let rest = Self.request("{") + Self.request(Self.event("e-5")) + "GET /livez HTTP/1.1\r\nHost: h\r\n\r\n"
            client.send(rest + Self.request(Self.event("e-6")) + Self.last)
            writer.release()
            let text = try #require(await client.readToEnd())
            #expect(Self.statuses(text) == ["202", "202", "202", "400", "202", "200", "202", "200"])
            let ids = text.matches(of: /"id":"(e-\d)"/).map { String($0.1) }
            #expect(ids == ["e-2", "e-3", "e-4", "e-5", "e-6"])
            #expect(try #require(await first.readResponseHead()).hasPrefix("HTTP/1.1 202"))
        }
    }

    @Test("more events than are handled at a time, and bytes that are not HTTP after them, are answered in order")
    func manyEvents() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let client = try RawClient(port: try #require(api.client.port))
            let ids = (100..<200).map { "e-\($0)" }
            client.send(ids.map { Self.request(Self.event($0)) }.joined() + "nonsense\r\n\r\n")
            let text = try #require(await client.readToEnd())
            #expect(Self.statuses(text) == ids.map { _ in "202" } + ["400"])
            #expect(text.matches(of: /"id":"(e-\d+)"/).map { String($0.1) } == ids)
        }
    }

    @Test("a request that must not reach the routes gets its error after the responses before it")
    func rejectionInOrder() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let client = try RawClient(port: try #require(api.client.port))
            let wrong = "GET /livez HTTP/1.1\r\nHost: h\r\nExpect: more\r\n\r\n"
            client.send(Self.request(Self.event("e-1")) + Self.request(Self.event("e-2")) + wrong + wrong)
            #expect(Self.statuses(await client.readToEnd()) == ["202", "202", "417"])
        }
    }

    @Test("an event after a request that ends the connection is not handled, also when it arrives after the response")
    func afterTheLast() async throws {
        try await TestGateway.run { api in
            let services = try await TestGateway.makeServices(
                api.data,
                presence: api.presence,
                windows: WindowLimits(),
                metrics: TestMetrics(),
                logger: CapturedLog().logger
            )
            let events = GatewayServer(services: services).routes.directEvents
            #expect(try Self.passedOn([("Connection", "close")], events))
            #expect(try !Self.passedOn([], events))
        }
    }

    /// Whether an event that arrives after the response to a request is passed on.
    private static func passedOn(_ fields: [(String, String)], _ direct: DirectEvents) throws -> Bool {
        let channel = EmbeddedChannel(handler: DirectEventHandler(direct))
        defer { _ = try? channel.finish() }
        var head = HTTPRequest(method: .get, scheme: "http", authority: "h", path: "/livez")
        for (name, value) in fields { head.headerFields[try #require(HTTPField.Name(name))] = value }
        try channel.writeInbound(HTTPRequestPart.head(head))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        for _ in 0..<2 { #expect(try channel.readInbound(as: HTTPRequestPart.self) != nil) }
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        head = HTTPRequest(method: .post, scheme: "http", authority: "h", path: events)
        channel.pipeline.fireChannelRead(HTTPRequestPart.head(head))
        return try channel.readInbound(as: HTTPRequestPart.self) != nil
    }

    /// Sends an event and disconnects when it has arrived.
    private static func leave(_ port: Int, _ event: String, arrived: () async -> Void) async throws {
        let client = try RawClient(port: port)
        client.send(request(event))
        await arrived()
    }

    @Test("a client that ends its side gets its response, and one that disconnects loses only that")
    func clientEnds() async throws {
        let metrics = TestMetrics()
        try await TestGateway.run(.live, metrics: metrics) { api in
            try await api.makeBrand()
            let writer = try HeldWriter(api)
            defer { writer.release() }
            let port = try #require(api.client.port)
            let first = try RawClient(port: port)
            first.send(Self.request(Self.event("e-1", consumer: HeldWriter.consumer)))
            await writer.isHeld()
            let ending = try RawClient(port: port)
            ending.send(Self.request(Self.event("e-2")))
            ending.endOfInput()
            try await Self.leave(port, Self.event("e-3")) { await writer.waits(for: 2) }
            writer.release()
            #expect(Self.statuses(await ending.readToEnd()) == ["202"])
            let stored = try await api.until {
                try await api.call(.get, "/v1/brands/acme/messages?consumer=u-1")
            } holds: {
                $0["items"]?.items.count == 2
            }
            #expect(stored.status == 200)
            #expect(await metrics.reaches("switchboard_http_body_bytes", 0))
            // Those of the first client and of the other calls.
            #expect(await metrics.reaches("switchboard_http_open_connections", 2))
            #expect(try #require(await first.readResponseHead()).hasPrefix("HTTP/1.1 202"))
        }
    }

    @Test("a body that does not arrive behind a complete request gets 408 after that one's response")
    func slowBody() async throws {
        try await TestGateway.run(.live, limits: ServerLimits(requestTimeout: .milliseconds(200))) { api in
            try await api.makeBrand()
            let client = try RawClient(port: try #require(api.client.port))
            let slow = Self.request(Self.event("e-2"))
            client.send(Self.request(Self.event("e-1")) + slow.dropLast(5))
            #expect(Self.statuses(await client.readToEnd()) == ["202", "408"])
        }
    }

    @Test("a stop waits for the responses to requests in progress")
    func stop() async throws {
        let (texts, text) = AsyncStream<String?>.makeStream()
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let port = try #require(api.client.port)
            let (client, idle) = try (RawClient(port: port), RawClient(port: port))
            let writer = try HeldWriter(api)
            client.send(Self.request(Self.event("e-1", consumer: HeldWriter.consumer)))
            await writer.isHeld()
            client.send(Self.request(Self.event("e-2")))
            await writer.waits(for: 1)
            Task {
                // The stop closes idle connections first.
                _ = await idle.readToEnd()
                writer.release()
                text.yield(await client.readToEnd())
                text.finish()
            }
        }
        for await text in texts { #expect(Self.statuses(text) == ["202", "202"]) }
    }

    @Test(
        "the router handles requests with fields that the direct handler does not know",
        arguments: [
            (events, [], true), (events, [("Connection", "keep-alive"), ("Accept", "*/*")], true),
            (events + "?", [], false),
            ("/v1/brands/acme/x/events", [], false), ("/v1/brands/events", [], false),
            ("/v1/brands//events", [], false),
            ("/v1/brands/%61cme/events", [], false), (events, [("Connection", "close")], false),
            (events, [("Connection", "keep-alive, Upgrade")], false), (events, [("Upgrade", "h2c")], false),
            (events, [("Expect", "100-continue")], false), (events, [("Content-Encoding", "gzip")], false),
            (events, [("Origin", "https://example.com")], false), (events, [("Host", "other")], false),
        ] as [(String, [(String, String)], Bool)]
    )
    func takes(path: String, fields: [(String, String)], isTaken: Bool) throws {
        var head = HTTPRequest(method: .post, scheme: "http", authority: "h", path: path)
        for (name, value) in fields {
            let name = try #require(HTTPField.Name(name))
            head.headerFields[name] = value
        }
        #expect((DirectEvents.target(of: head) != nil) == isTaken)
        head.method = .put
        #expect(DirectEvents.target(of: head) == nil)
        head.method = .post
        head.authority = nil
        #expect(DirectEvents.target(of: head) == nil)
    }
}
