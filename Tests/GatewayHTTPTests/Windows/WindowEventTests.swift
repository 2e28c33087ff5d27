import GatewayModel
import GatewayStorage
import HTTPTypes
import HummingbirdTesting
import Messaging
import Outbound
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("An open window", .timeLimit(.minutes(10)))
struct WindowEventTests {
    static let consumer = ConsumerName(brand: BrandID(trusted: "acme"), consumer: ConsumerID(trusted: "u-1"))

    /// Reports commits, as the delivery core does.
    static func postEvents(_ api: API, _ conversation: String = "c-1", after sequence: Int64 = 0) async throws {
        let messages = try await api.store.messages(
            brand: consumer.brand,
            consumer: consumer.consumer,
            conversation: ConversationID(trusted: conversation),
            afterSequence: sequence,
            after: nil,
            limit: 1000
        )
        api.windows.committed((messages ?? []).map { WindowEvent(consumer: consumer, kind: .message($0)) })
    }

    @Test("receives new data, in every window of the consumer and in nobody else's")
    func windowEvents() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let port = try #require(api.client.port)
            let session = try await api.makeSession()
            let windows = [
                try await WindowClient(port: port, as: session), try await WindowClient(port: port, as: session),
            ]
            let other = try await WindowClient(port: port, as: try await api.makeSession("u-2"))
            for window in windows + [other] { _ = try await window.receive() }
            for window in windows { window.say(#"{"type":"resume","conversations":[]}"#) }
            try await api.post("m-1", more: #","title":"T","data":{"a":1}"#)
            try await Self.postEvents(api)
            api.windows.committed([
                WindowEvent(
                    consumer: Self.consumer,
                    kind: .read(ConversationID(trusted: "c-1"), upToSequence: 1, unread: 0)
                ),
                WindowEvent(consumer: Self.consumer, kind: .resolved(ConversationID(trusted: "c-1"), byConsumer: true)),
            ])
            for window in windows {
                let message = try await window.receive()
                #expect(message["type"]?.string == "message")
                #expect(message["conversation"]?.string == "c-1")
                #expect(message["sequence"]?.int == 1)
                #expect(message["from"]?.string == "agent")
                #expect(message["text"]?.string == "hello")
                #expect(message["data"]?["a"]?.int == 1)
                #expect(
                    try await window.receive()
                        == (try JSON(#"{"type":"read","conversation":"c-1","upToSequence":1,"unread":0}"#))
                )
                #expect(
                    try await window.receive()
                        == (try JSON(#"{"type":"resolved","conversation":"c-1","by":"consumer"}"#))
                )
            }
            other.send(WindowClient.frame(9, []))
            #expect(await other.next()?.opcode == 10)
        }
    }

    @Test("receives the agent's typing, and passes its own to the other windows and to waiting readers")
    func typing() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            try await api.post("m-1")
            let feed = "/v1/brands/acme/outbound/reader?types=consumer.typing"
            let seen = try await api.call(.get, feed)["end"]?.int
            let port = try #require(api.client.port)
            let session = try await api.makeSession()
            let (one, two) = (
                try await WindowClient(port: port, as: session), try await WindowClient(port: port, as: session)
            )
            for window in [one, two] { _ = try await window.receive() }
            let conversation = ConversationID(trusted: "c-1")
            api.windows.committed([
                WindowEvent(consumer: Self.consumer, kind: .typing(conversation, byConsumer: false))
            ])
            for window in [one, two] {
                #expect(
                    try await window.receive() == (try JSON(#"{"type":"typing","conversation":"c-1","by":"agent"}"#))
                )
            }
            async let waiting = api.call(.get, feed + "&waitSeconds=60")
            try await api.readerWaits()
            one.say(#"{"type":"typing","conversation":"c-9"}"#)
            let rejection = try await one.receive()
            #expect(rejection["code"]?.string == "not_found" && rejection["ref"]?.string == "typing")
            one.say(#"{"type":"typing","conversation":"c-1"}"#)
            #expect(try await two.receive() == (try JSON(#"{"type":"typing","conversation":"c-1","by":"consumer"}"#)))
            let reply = try await waiting
            let item = reply["items"]?[0]
            #expect(item?["type"]?.string == "consumer.typing" && item?["position"] == nil)
            #expect(item?["data"] == (try JSON(#"{"consumer":"u-1","conversation":"c-1"}"#)))
            #expect(reply["nextAfter"]?.int == seen && reply["end"]?.int == seen)
            // Typing is not stored, and the window that typed receives nothing.
            #expect(try await api.call(.get, feed)["items"]?.items.isEmpty == true)
            one.send(WindowClient.frame(9, []))
            #expect(await one.next()?.opcode == 10)
        }
    }

    @Test("resumes at the client's position, page by page; another consumer's conversation is not found")
    func resume() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            for number in 1...45 { try await api.post("m-\(number)") }
            try await api.post("x-1", consumer: "u-2", conversation: "c-2")
            let window = try await WindowClient(port: try #require(api.client.port), as: try await api.makeSession())
            #expect(try await window.receive()["conversations"]?[0]?["lastSequence"]?.int == 45)
            window.say(
                #"{"type":"resume","conversations":[{"id":"c-2","afterSequence":0},{"id":"c-1","afterSequence":3}]}"#
            )
            let rejection = try await window.receive()
            #expect(rejection["code"]?.string == "not_found")
            for sequence in 4...45 { #expect(try await window.receive()["sequence"]?.int == sequence) }
            window.say(#"{"type":"resume","conversations":[]}"#)
            #expect(try await window.receive()["code"]?.string == "conflict")
        }
    }

    @Test("acknowledges like a read; beyond the end is clamped and backwards has no effect")
    func acknowledging() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let session = try await api.makeSession(device: "d-1")
            for number in 1...3 { try await api.post("m-\(number)") }
            let window = try await WindowClient(port: try #require(api.client.port), as: session)
            _ = try await window.receive()
            for (upTo, unread) in [(2, 1), (1, 1), (99, 0)] {
                window.say(#"{"type":"ack","conversation":"c-1","upToSequence":\#(upTo)}"#)
                // A later response shows that it is done.
                window.say(#"{"type":"ack","conversation":"c-9","upToSequence":1}"#)
                #expect(try await window.receive()["ref"]?.string == "ack")
                let counts = try await api.call(.get, "/v1/brands/acme/unread", as: session)
                #expect(counts["unread"]?.int == unread)
            }
        }
    }

    @Test("closes with its session, whatever ends it, and with no other session")
    func sessionEnds() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let port = try #require(api.client.port)
            func open(_ session: Credential) async throws -> WindowClient {
                let window = try await WindowClient(port: port, as: session)
                #expect(try await window.receive()["type"]?.string == "ready")
                return window
            }
            let (first, second) = (try await api.makeSession(device: "d-1"), try await api.makeSession(device: "d-2"))
            let (one, two) = (try await open(first), try await open(second))
            #expect(try await api.call(.delete, "/v1/brands/acme/sessions/current", as: first).status == 204)
            #expect(await one.end() == "4409 logged_out")
            #expect(await api.presence.isNotified("- u-1 d-1"))
            two.send(WindowClient.frame(9, [1]))
            #expect(await two.next() == WindowClient.Frame(opcode: 10, payload: [1]))
            let remote = "/v1/brands/acme/consumers/u-1/sessions"
            #expect(try await api.call(.delete, remote).status == 204)
            #expect(await two.end() == "4409 logged_out")

            let account = try await api.makeAccount("acme", "sessions:mint")
            guard case .basic(let id, _) = account else { throw TestFailure("no account") }
            let minted = try await api.call(.post, "/v1/brands/acme/consumers/u-3/sessions", as: account, "{}")
            let three = try await open(.bearer(try #require(minted["sessionToken"]?.string)))
            #expect(try await api.call(.delete, "/v1/brands/acme/credentials/\(id)").status == 204)
            #expect(await three.end() == "4403 token_invalid: revoked")

            let erased = try await open(try await api.makeSession("u-5"))
            #expect(try await api.call(.delete, "/v1/brands/acme/consumers/u-5").status == 204)
            #expect(await erased.end() == "4409 logged_out")

            let four = try await open(try await api.makeSession("u-4"))
            #expect(try await api.call(.delete, "/v1/brands/acme").status == 204)
            #expect(await four.end() == "4403 token_invalid: revoked")
        }
    }

    @Test("closes after a newer login where one device is allowed")
    func singleDevice() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand(settings: #"{"singleDevice":true}"#)
            let port = try #require(api.client.port)
            let window = try await WindowClient(port: port, as: try await api.makeSession(device: "d-1"))
            _ = try await window.receive()
            let newer = try await api.makeSession(device: "d-2")
            #expect(await window.end() == "4409 logged_out")
            #expect(try await (try WindowClient(port: port, as: newer)).receive()["type"]?.string == "ready")
        }
    }

    @Test("announces the end of its token, continues with a new one, and closes when the token expires")
    func expiry() async throws {
        try await TestGateway.run(.live) { api in
            // An unsolicited pong: the window reads the clock that the test has moved.
            let stir = WindowClient.frame(10, [])
            try await api.makeBrand(settings: #"{"sessionTtlSeconds":300}"#)
            let port = try #require(api.client.port)
            let window = try await WindowClient(port: port, as: try await api.makeSession())
            _ = try await window.receive(answeringPings: true)
            api.clock.advance(seconds: 270)
            window.send(stir)
            #expect(
                try await window.receive(answeringPings: true)
                    == (try JSON(#"{"type":"tokenExpiring","inSeconds":30}"#))
            )
            guard case .bearer(let token) = try await api.makeSession() else { throw TestFailure("no token") }
            window.say(#"{"type":"reauthenticate","sessionToken":"\#(token)"}"#)
            // A later response shows that it is done.
            window.say(#"{"type":"ack","conversation":"c-9","upToSequence":1}"#)
            #expect(try await window.receive(answeringPings: true)["ref"]?.string == "ack")
            api.clock.advance(seconds: 270)
            window.send(stir)
            #expect(
                try await window.receive(answeringPings: true)
                    == (try JSON(#"{"type":"tokenExpiring","inSeconds":30}"#))
            )
            api.clock.advance(seconds: 30)
            window.send(stir)
            #expect(await window.end(answeringPings: true) == "4401 token_expired")
        }
    }

    @Test("closes for a token that is invalid, or another consumer's")
    func otherTokens() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let port = try #require(api.client.port)
            guard case .bearer(let other) = try await api.makeSession("u-2"),
                case .bearer(let bound) = try await api.makeSession(device: "d-2")
            else { throw TestFailure("no token") }
            let session = try await api.makeSession(device: "d-1")
            let cases = [
                (other, "4403 forbidden"), (bound, "4403 forbidden"), ("x", "4403 token_invalid: malformed"),
            ]
            for (token, close) in cases {
                let window = try await WindowClient(port: port, as: session)
                _ = try await window.receive()
                window.say(#"{"type":"reauthenticate","sessionToken":"\#(token)"}"#)
                #expect(await window.end() == close)
            }
        }
    }

    @Test("is pinged, and closes when it does not respond")
    func idle() async throws {
        let metrics = TestMetrics()
        try await TestGateway.run(.live, windows: WindowLimits(idleSeconds: 2), metrics: metrics) { api in
            try await api.makeBrand()
            let window = try await WindowClient(port: try #require(api.client.port), as: try await api.makeSession())
            _ = try await window.receive()
            #expect(await window.next() == WindowClient.Frame(opcode: 9, payload: []))
            #expect(await window.next() == nil)
            #expect(await api.presence.isNotified("- u-1 any"))
            #expect(await metrics.reaches(#"switchboard_windows_closed_total{reason="idle"}"#, 1))
        }
    }

    @Test("sends a close frame when the server stops, and does not delay it")
    func stopping() async throws {
        let windows = Windows()
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let window = try await WindowClient(port: try #require(api.client.port), as: try await api.makeSession())
            _ = try await window.receive()
            await windows.keep(window)
        }
        let window = try #require(await windows.window)
        #expect(try await window.receive() == (try JSON(#"{"type":"bye","reason":"going_away"}"#)))
        #expect(await window.end() == "1001 going_away")
    }

    private actor Windows {
        var window: WindowClient?
        func keep(_ window: WindowClient) { self.window = window }
    }
}
