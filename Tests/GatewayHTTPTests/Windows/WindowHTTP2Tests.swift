import GatewayModel
import GatewayStorage
import HTTPTypes
import HummingbirdTesting
import Messaging
import TestSupport
import Testing

@testable import GatewayHTTP

/// Sections are those of RFC 8441, if no other is named.
@Suite("A window over HTTP/2", .timeLimit(.minutes(10)))
struct WindowHTTP2Tests {
    private static let closed = WindowClient.frame(8, [0x03, 0xE8])

    /// Whether a window still answers, after what it has sent before.
    private static func answers(_ window: HTTP2Window) async -> Bool {
        window.send(WindowClient.frame(9, [7]))
        while let frame = await window.next() { if frame.opcode == 10 { return frame.payload == [7] } }
        return false
    }

    /// Whether a window is closed because a limit is reached; it has ended then.
    private static func isOverloaded(_ window: HTTP2Window) async -> Bool {
        let close = await window.end()
        window.send(WindowClient.frame(8, []))
        let hasEnded = await window.next() == nil
        window.endOfInput()
        return hasEnded && close == "1013 overloaded"
    }

    // MARK: Opening

    @Test("R97: is offered, opens with 200, and does all that a window does, two beside requests on one connection")
    func opening() async throws {
        let metrics = TestMetrics()
        try await TestGateway.run(.live, metrics: metrics) { api in
            try await api.makeBrand()
            guard case .bearer(let token) = try await api.makeSession(device: "d-1") else {
                throw TestFailure("no token")
            }
            let client = try HTTP2Client(api)
            let settings = try #require(await client.next(.settings)).payload
            // SETTINGS_ENABLE_CONNECT_PROTOCOL, section 3.
            let entries = stride(from: 0, to: settings.count, by: 6).map { Array(settings[$0..<$0 + 6]) }
            #expect(entries.contains([0, 8, 0, 0, 0, 1]))
            let window = try await HTTP2Window(client, 1, as: .bearer(token))
            #expect(window.head[":status"] == "200")
            let upgrade = ["upgrade", "connection", "sec-websocket-accept", "sec-websocket-protocol", "content-length"]
            #expect(upgrade.allSatisfy { window.head[$0] == nil }, "\(window.head)")
            #expect(try await window.receive() == JSON(#"{"type":"ready","unread":0,"conversations":[]}"#))
            #expect(api.presence.notified == ["+ u-1 d-1"])

            let offer = ("sec-websocket-protocol", "switchboard.v1, bearer.\(token)")
            let second = try await HTTP2Window(client, 3, path: "/v1/brands/acme/window?deviceId=d-1", [offer])
            #expect(second.head["sec-websocket-protocol"] == "switchboard.v1")
            #expect(try await second.receive()["type"]?.string == "ready")
            for each in [window, second] { each.say(#"{"type":"resume","conversations":[]}"#) }
            let body =
                #"{"id":"m-1","type":"agent.message","consumer":"u-1","conversation":"c-1","text":"hello"}"#
            client.request(5, "POST", "/v1/brands/acme/events", body: body)
            #expect(await client.response(5)?.status == "202")
            try await WindowEventTests.postEvents(api)
            for each in [window, second] {
                let message = try await each.receive()
                #expect(message["type"]?.string == "message" && message["text"]?.string == "hello")
            }
            window.say(#"{"type":"typing","conversation":"c-1"}"#)
            #expect(
                try await second.receive() == JSON(#"{"type":"typing","conversation":"c-1","by":"consumer"}"#)
            )
            window.say(#"{"type":"send","clientId":"k-1","conversation":"c-1","text":"hi"}"#)
            #expect(try await window.receive()["type"]?.string == "sent")
            #expect(metrics.value("switchboard_windows_open") == 2)

            window.send(Self.closed)
            #expect(await window.end() == "1000 ")
            // Section 5: the end of the connection is END_STREAM. A client that does not end its side is not waited for.
            #expect(await window.next() == nil)
            #expect(window.resetCode == nil)
            #expect(await client.next(.reset, stream: 1)?.number(at: 0) == 0)
            #expect(await metrics.reaches("switchboard_windows_open", 1))
            #expect(await metrics.reaches(#"switchboard_windows_closed_total{reason="client"}"#, 1))
            #expect(await Self.answers(second))
        }
    }

    @Test("LivePerson's path is a window's too")
    func livePerson() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand(settings: #"{"wire":{"liveperson":true}}"#)
            let session = try await api.makeSession()
            let path = "/ws_api/account/acme/messaging/consumer?v=3"
            let window = try await HTTP2Window(try HTTP2Client(api), 1, path: path, as: session)
            #expect(try await window.receive()["type"]?.string == "ready")
        }
    }

    @Test("opens with an invalid token too, and closes with its code", arguments: WindowOpeningTests.rejections)
    func refused(_ rejection: WindowOpeningTests.Rejection) async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let credential = try await rejection.credential(api)
            let window = try await HTTP2Window(try HTTP2Client(api), 1, path: rejection.path, as: credential)
            #expect(window.head[":status"] == "200")
            #expect(await window.end() == rejection.close)
            window.send(WindowClient.frame(8, []))
            #expect(await window.next() == nil)
            #expect(api.presence.notified.isEmpty)
        }
    }

    /// A request that opens no window, and its response: a status, or the error code with which it is reset.
    struct Refusal: Sendable, CustomStringConvertible {
        var description: String
        var frame: HTTP2Frame
        var status = ""
        var resetCode: UInt32?
    }

    private static func head(_ fields: [(String, String)]) -> HTTP2Frame {
        HTTP2Frame(.headers, flags: HTTP2Frame.endHeaders, stream: 1, HTTP2Frame.block(fields))
    }

    private static let window = "/v1/brands/acme/window"

    static let refusals = [
        Refusal(
            description: "a tunnel (RFC 9113 section 8.5)",
            frame: head([(":method", "CONNECT"), (":authority", "h")]),
            status: "501"
        ),
        Refusal(
            description: "another protocol",
            frame: .request(1, "CONNECT", window, [(":protocol", "connect-udp")], isLast: false),
            status: "501"
        ),
        Refusal(description: "another path", frame: .connect(1, "/v1/brands/acme/unread"), status: "405"),
        Refusal(description: "an unknown path", frame: .connect(1, "/nowhere"), status: "404"),
        Refusal(description: "an old version", frame: .connect(1, version: "8"), status: "426"),
        Refusal(description: "no version", frame: .connect(1, version: nil), status: "426"),
        Refusal(description: "two", frame: .connect(1, window, [("sec-websocket-version", "8")]), status: "426"),
        Refusal(description: "a length", frame: .connect(1, window, [("content-length", "5")]), status: "426"),
        Refusal(description: "two hosts", frame: .connect(1, window, [("host", "other")]), status: "400"),
        Refusal(description: "an unknown Expect", frame: .connect(1, window, [("expect", "200-ok")]), status: "417"),
        // Those of HTTP/1.1 make a request malformed (RFC 9113 section 8.2.2).
        Refusal(description: "Upgrade", frame: .connect(1, window, [("upgrade", "websocket")]), resetCode: 1),
        Refusal(description: "Connection", frame: .connect(1, window, [("connection", "upgrade")]), resetCode: 1),
        Refusal(
            description: "a protocol without CONNECT",
            frame: .request(1, "GET", window, [(":protocol", "websocket")], isLast: false),
            resetCode: 1
        ),
        Refusal(
            description: "a protocol without path",
            frame: head([(":method", "CONNECT"), (":protocol", "websocket"), (":authority", "h"), (":scheme", "http")]),
            resetCode: 1
        ),
    ]

    @Test("is refused when the request is not valid, and the connection is served on")
    func invalid() async throws {
        try await TestGateway.run(.live, limits: ServerLimits(rates: .none)) { api in
            try await api.makeBrand()
            for refusal in Self.refusals {
                let client = try HTTP2Client(api)
                client.send(refusal.frame)
                let response = try #require(await client.response(1), "\(refusal)")
                #expect(response.status == refusal.status, "\(refusal): \(response)")
                #expect(response.resetCode == refusal.resetCode, "\(refusal): \(response)")
                let type = refusal.resetCode == nil ? "application/problem+json" : nil
                #expect(response.headers["content-type"] == type, "\(refusal): \(response)")
                client.request(3, "GET", "/livez")
                #expect(await client.response(3)?.status == "200", "\(refusal)")
            }
            #expect(api.presence.notified.isEmpty)
        }
    }

    // MARK: Frames

    @Test("invalid frames close it with their code, and no other window of the connection")
    func faults() async throws {
        try await TestGateway.run(.live, limits: ServerLimits(rates: .none)) { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            let client = try HTTP2Client(api)
            client.send(HTTP2Frame(.windowUpdate, HTTP2Frame.number(1 << 24)))
            let other = try await HTTP2Window(client, 1, as: session)
            _ = try await other.receive()
            for (number, fault) in WindowFrameTests.faults.enumerated() {
                let window = try await HTTP2Window(client, UInt32(2 * number + 3), as: session)
                _ = try await window.receive()
                window.send(fault.bytes)
                #expect(await window.end() == fault.close, "\(fault)")
            }
            #expect(await Self.answers(other))
        }
    }

    // MARK: The end

    @Test("the end of the stream, its reset and that of the connection end it")
    func ends() async throws {
        let metrics = TestMetrics()
        try await TestGateway.run(.live, metrics: metrics) { api in
            try await api.makeBrand()
            let client = try HTTP2Client(api)
            var windows: [HTTP2Window] = []
            for number in UInt32(1)...3 {
                let session = try await api.makeSession("u-\(number)")
                windows.append(try await HTTP2Window(client, 2 * number - 1, as: session))
                _ = try await windows.last?.receive()
            }
            windows[0].endOfInput()
            // Also with the request.
            let short = HTTP2Frame.connect(9)
            client.send(HTTP2Frame(.headers, flags: HTTP2Frame.end | HTTP2Frame.endHeaders, stream: 9, short.payload))
            let response = try #require(await client.response(9))
            #expect(response.status == "200" && response.body.contains("token_missing") && response.resetCode == nil)
            #expect(await windows[0].next() == nil)
            // Section 5: the response to END_STREAM is END_STREAM.
            #expect(windows[0].resetCode == nil)
            #expect(await api.presence.isNotified("- u-1 any"))
            windows[1].reset()
            #expect(await api.presence.isNotified("- u-2 any"))
            #expect(await Self.answers(windows[2]))
            client.request(11, "GET", "/livez")
            #expect(await client.response(11)?.status == "200")
            client.socket.endOfInput()
            #expect(await api.presence.isNotified("- u-3 any"))
            #expect(await metrics.reaches(#"switchboard_windows_closed_total{reason="gone"}"#, 3))
            #expect(metrics.value("switchboard_windows_open") == 0)
        }
    }

    @Test("is closed with the reason when the server stops, and the connection ends with it")
    func stopping() async throws {
        let end = End()
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let client = try HTTP2Client(api)
            let window = try await HTTP2Window(client, 1, as: try await api.makeSession())
            _ = try await window.receive()
            await end.follow(
                Task {
                    let bye = try? await window.receive()
                    let close = await window.end()
                    window.send(WindowClient.frame(8, []))
                    // GOAWAY was first, and the connection ends with the window.
                    let isLeaving = await client.next(.goAway) != nil
                    let isOpen = await client.take { $0.stream == 99 } != nil
                    return [bye?["reason"]?.string, close, "\(isLeaving) \(isOpen)"]
                }
            )
        }
        #expect(await end.frames() == ["going_away", "1001 going_away", "true false"])
    }

    /// Follows a window beyond the end of its gateway.
    private actor End {
        private var task: Task<[String?], Never>?
        func follow(_ task: Task<[String?], Never>) { self.task = task }
        func frames() async -> [String?]? { await task?.value }
    }

    @Test("the idle timeout does not end a connection with a window")
    func idle() async throws {
        let limits = ServerLimits(idleTimeout: .seconds(3))
        try await TestGateway.run(.live, limits: limits, windows: WindowLimits(idleSeconds: 600)) { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            let client = try HTTP2Client(api)
            let window = try await HTTP2Window(client, 1, as: session)
            _ = try await window.receive()
            // A connection that is idle from now on ends.
            let idle = try HTTP2Client(api)
            #expect(await idle.next(.goAway) != nil)
            #expect(await Self.answers(window))
        }
    }

    // MARK: Limits

    @Test("has slots of its own, by all, by address and by consumer, and releases its stream's")
    func slots() async throws {
        let metrics = TestMetrics()
        // Of three streams at a time.
        let limits = ServerLimits(maxConnections: 3, windowsPerAddress: 52, rates: .none)
        let room = WindowLimits(idleSeconds: 600, maxOpen: 53)
        try await TestGateway.run(.live, limits: limits, windows: room, metrics: metrics) { api in
            try await api.makeBrand()
            let (first, second) = (try await api.makeSession(), try await api.makeSession("u-2"))
            let client = try HTTP2Client(api)
            var stream = UInt32(1)
            func open(_ session: Credential, from address: Int = 1) async throws -> HTTP2Window {
                defer { stream += 2 }
                let proxied = ("x-forwarded-for", "203.0.113.\(address)")
                return try await HTTP2Window(client, stream, as: session, [proxied])
            }
            var windows: [HTTP2Window] = []
            for session in Array(repeating: first, count: 50) + [second, second] {
                let window = try await open(session)
                #expect(try await window.receive()["type"]?.string == "ready")
                windows.append(window)
                // A consumer has at most fifty.
                if windows.count == 50 {
                    #expect(await Self.isOverloaded(try open(first)))
                    #expect(await metrics.reaches("switchboard_windows_open", 50))
                }
            }
            #expect(await Self.isOverloaded(try open(second)))
            #expect(metrics.value(#"switchboard_http_refused_total{limit="address_windows"}"#) == 1)
            let last = try await open(second, from: 2)
            #expect(try await last.receive()["type"]?.string == "ready")
            #expect(await Self.isOverloaded(try open(second, from: 3)))
            client.request(stream, "GET", "/v1/brands/acme")
            #expect(await client.response(stream)?.status == "200")
            windows[0].send(Self.closed)
            #expect(await windows[0].end() == "1000 ")
            #expect(await metrics.reaches("switchboard_windows_open", 52))
            stream += 2
            #expect(try await open(second, from: 3).receive()["type"]?.string == "ready")
        }
    }

    @Test("beyond the limit of streams of an address it is refused with 503")
    func surplus() async throws {
        var limits = ServerLimits(connectionsPerAddress: 1, trustedProxies: [])
        limits.ownAddresses = []
        try await TestGateway.run(.live, limits: limits) { api in
            let client = try HTTP2Client(api, from: 2)
            // Waits for its body.
            client.send(.request(1, "POST", "/v1/brands", [HTTP2Client.admin], isLast: false))
            client.send(.connect(3))
            let response = try #require(await client.response(3))
            #expect(response.status == "503" && response.headers["retry-after"] == "5", "\(response)")
        }
    }

    // MARK: Flow control

    @Test("a client that opens no flow-control window for it loses it as a slow reader; others are served")
    func slowReader() async throws {
        let metrics = TestMetrics()
        try await TestGateway.run(.live, windows: WindowLimits(stallSeconds: 2), metrics: metrics) { api in
            try await api.makeBrand()
            // INITIAL_WINDOW_SIZE of 10.
            let client = try HTTP2Client(api, settings: [0, 4, 0, 0, 0, 10])
            let slow = try await HTTP2Window(client, 1, as: try await api.makeSession())
            let late = try await HTTP2Window(client, 3, as: try await api.makeSession("u-2"))
            let quick = try await HTTP2Window(client, 5, as: try await api.makeSession("u-3"))
            quick.grant(100_000)
            #expect(try await quick.receive()["type"]?.string == "ready")
            for consumer in ["u-1", "u-2"] { #expect(await api.presence.isNotified("- \(consumer) any")) }
            // One that reads after all learns the reason.
            late.grant(100_000)
            #expect(await late.end() == "1013 overloaded: slow_reader")
            late.send(WindowClient.frame(8, []))
            #expect(await late.next() == nil)
            #expect(late.resetCode == nil)
            // What the other one does not read is lost.
            slow.send(WindowClient.frame(8, []))
            #expect(await slow.next() == nil)
            #expect(slow.resetCode == 8)
            #expect(await metrics.reaches(#"switchboard_windows_closed_total{reason="slow"}"#, 2))
            #expect(await Self.answers(quick))
        }
    }

    @Test("windows that are neither read nor written to hold up no other stream of their connection")
    func stalled() async throws {
        let room = WindowLimits(idleSeconds: 600, stallSeconds: 600)
        try await TestGateway.run(.live, limits: ServerLimits(rates: .none), windows: room) { api in
            try await api.makeBrand()
            try await api.post("m-1", more: #","data":{"a":"\#(String(repeating: "x", count: 30_000))"}"#)
            let session = try await api.makeSession()
            let client = try HTTP2Client(api)
            // The connection's window is open, those of the streams are used up by three messages.
            client.send(HTTP2Frame(.windowUpdate, HTTP2Frame.number(1 << 24)))
            var windows: [HTTP2Window] = []
            for number in UInt32(0)..<6 {
                let window = try await HTTP2Window(client, 2 * number + 1, as: session)
                _ = try await window.receive()
                window.say(#"{"type":"resume","conversations":[]}"#)
                // The response comes when that is done.
                window.say(#"{"type":"hello"}"#)
                _ = try await window.receive()
                windows.append(window)
            }
            let stored = try await api.store.messages(
                brand: WindowEventTests.consumer.brand,
                consumer: WindowEventTests.consumer.consumer,
                conversation: ConversationID(trusted: "c-1"),
                afterSequence: 0,
                after: nil,
                limit: 1
            )
            let event = WindowEvent(consumer: WindowEventTests.consumer, kind: .message(try #require(stored?.first)))
            api.windows.committed(Array(repeating: event, count: 100))
            for window in windows { #expect(try await window.receive()["type"]?.string == "message") }
            // Together more than the server's window for the connection; none of it is read up to its end.
            let hello = Array(#"{"type":"hello"}"#.utf8) + [UInt8](repeating: 0x20, count: 64_000)
            let frame = WindowClient.frame(1, hello)
            for window in windows { window.send(Array(frame.dropLast())) }
            let body =
                #"{"id":"m-2","type":"agent.message","consumer":"u-2","conversation":"c-2","text":"hello"}"#
            client.request(21, "POST", "/v1/brands/acme/events", body: body)
            #expect(await client.response(21)?.status == "202")
            let other = try await HTTP2Window(client, 23, as: try await api.makeSession("u-2"))
            #expect(try await other.receive()["type"]?.string == "ready")
            // When the client reads on, the server does.
            windows[0].grant(1 << 24)
            windows[0].send(Array(frame.suffix(1)))
            var last = ""
            while last != "error" { last = try await windows[0].receive()["type"]?.string ?? "" }
        }
    }
}
