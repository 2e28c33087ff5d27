import GatewayModel
import GatewayStorage
import HummingbirdTesting
import Messaging
import Testing

@testable import GatewayHTTP

@Suite("Too many or too slow windows", .timeLimit(.minutes(10)))
struct WindowCrowdTests {
    @Test("thousands from one address get the available slots; the rest is closed, and others are not affected")
    func crowd() async throws {
        let places = 1001
        // Each rejected window keeps a connection's slot until it is closed.
        let limits = ServerLimits(maxConnections: 1100, rates: .none)
        let metrics = TestMetrics()
        // No client here responds to a ping, however slow the host is.
        let room = WindowLimits(idleSeconds: 600, maxOpen: places)
        try await TestGateway.run(.live, limits: limits, windows: room, metrics: metrics) { api in
            try await api.makeBrand()
            let port = try #require(api.client.port)
            let other = try await WindowFrameTests.Bystander(api)
            var windows: [WindowClient] = []
            // A consumer has at most fifty.
            for consumer in 0..<40 {
                let session = try await api.makeSession("crowd-\(consumer)")
                for _ in 0..<50 { windows.append(try await WindowClient(port: port, as: session)) }
            }
            for window in windows.prefix(places - 1) { #expect(try await window.receive()["type"]?.string == "ready") }
            for window in windows.dropFirst(places - 1) { #expect(await window.end() == "1013 overloaded") }
            try await other.noticedNothing(api)
            let refused = windows.count - places + 1
            #expect(await metrics.reaches(#"switchboard_windows_closed_total{reason="overloaded"}"#, Double(refused)))
            // A closed window makes room.
            windows[0].send(WindowClient.frame(8, []))
            #expect(await windows[0].end() == "none")
            #expect(await metrics.reaches("switchboard_windows_open", Double(places - 1)))
            let next = try await WindowClient(port: port, as: try await api.makeSession("u-3"))
            #expect(try await next.receive()["type"]?.string == "ready")
        }
    }

    @Test("one that reads nothing is closed, uses little memory until then, and does not slow others")
    func slow() async throws {
        let metrics = TestMetrics()
        let limits = WindowLimits(idleSeconds: 600, stallSeconds: 2)
        try await TestGateway.run(.live, windows: limits, metrics: metrics) { api in
            try await api.makeBrand()
            let port = try #require(api.client.port)
            let other = try await WindowFrameTests.Bystander(api)
            try await api.post("m-1", more: #","data":{"a":"\#(String(repeating: "x", count: 30_000))"}"#)
            let session = try await api.makeSession()
            let slow = try await WindowClient(port: port, as: session)
            let quick = try await WindowClient(port: port, as: try await api.makeSession("u-3"))
            for window in [slow, quick] {
                _ = try await window.receive()
                window.say(#"{"type":"resume","conversations":[]}"#)
                // The response comes when that is done.
                window.say(#"{"type":"hello"}"#)
                _ = try await window.receive()
            }
            let consumer = WindowEventTests.consumer
            let stored = try await api.store.messages(
                brand: consumer.brand,
                consumer: consumer.consumer,
                conversation: ConversationID(trusted: "c-1"),
                afterSequence: 0,
                after: nil,
                limit: 1
            )
            let message = try #require(stored?.first)
            let third = ConsumerName(brand: consumer.brand, consumer: ConsumerID(trusted: "u-3"))
            // 300 MB in total, and between them one for a window that reads.
            for _ in 0..<100 {
                api.windows.committed(
                    Array(repeating: WindowEvent(consumer: consumer, kind: .message(message)), count: 100)
                        + [WindowEvent(consumer: third, kind: .message(message))]
                )
                #expect(try await quick.receive()["sequence"]?.int == 1)
            }
            #expect(await api.presence.isNotified("- u-1 any"))
            // The server waits a few seconds for a client that reads its close frame.
            #expect(await slow.end() == "1013 overloaded: slow_reader")
            // The buffers of both sockets, and 32 frames: the rest was not even written.
            let frames = try #require(metrics.value(#"switchboard_window_frames_total{direction="out"}"#))
            #expect(frames < 1000)
            slow.send(WindowClient.frame(8, []))
            #expect(await metrics.reaches(#"switchboard_windows_closed_total{reason="slow"}"#, 1))
            try await other.noticedNothing(api)
        }
    }
}
