import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// Messaging windows of a running gateway, opened by clients of other implementations.
@Suite("Windows", .timeLimit(.minutes(10)))
struct WindowTests {
    private static let interop = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Interop")

    @Test("are opened by Python's websockets: every frame, and every close code with its reason")
    func python() async throws {
        let directory = try TemporaryDirectory()
        let fixture = try await GatewayFixture.start(in: directory)
        // Without websockets this fails: Deploy/test.sh installs it.
        let python = try ChildProcess(
            "/usr/bin/env",
            ["python3", Self.interop.appending(path: "window.py").path(), fixture.gateway.url, "acme"],
            environment: ["SWITCHBOARD_ADMIN_TOKEN": fixture.gateway.adminToken]
        )
        let exit = try await python.ended()
        #expect(exit.status == 0, "\(python.errors.suffix(5))")
        try #require(python.output.last == "done")
        let tried = try python.output.dropLast().map { try JSONValue(parsing: Data($0.utf8)) }
        #expect(tried.count == 14)
        for attempt in tried { #expect(attempt["found"] == attempt["wanted"], "\(attempt["name"].plain)") }
    }

    @Test("are opened by Node's WebSocket like a browser's")
    func node() async throws {
        let directory = try TemporaryDirectory()
        let fixture = try await GatewayFixture.start(in: directory)
        for number in 1...3 { _ = try await fixture.post("m-\(number)") }
        let token = try await fixture.gateway.session("u-1")
        let script = Self.interop.appending(path: "window.mjs").path()
        let node = try ChildProcess(
            "/usr/bin/env",
            ["node", "--experimental-websocket", script, fixture.gateway.url, "acme"],
            environment: ["SWITCHBOARD_SESSION_TOKEN": token]
        )
        let exit = try await node.ended()
        #expect(exit.status == 0, "\(node.errors.suffix(5))")
        let lines = node.output.filter { !$0.hasPrefix("read ") }
        #expect(
            lines == [
                "open switchboard.v1", "ready 3", "message 1", "message 2", "message 3", "error not_found",
                "closed 1000 ",
            ]
        )
        try await fixture.wait(for: "the messages to be read") { try await fixture.unread() == 0 }
    }

    @Test("delay pushes while they are open, and any end without an acknowledgement leads to a push")
    func presence() async throws {
        let directory = try TemporaryDirectory()
        let fixture = try await GatewayFixture.start(in: directory)
        let script = Self.interop.appending(path: "presence.py").path()
        let python = try ChildProcess(
            "/usr/bin/env",
            ["python3", script, fixture.gateway.url, fixture.simulator.control, "acme"],
            environment: ["SWITCHBOARD_ADMIN_TOKEN": fixture.gateway.adminToken]
        )
        _ = try await python.line("holding")
        let tried = try python.output.dropLast().map { try JSONValue(parsing: Data($0.utf8)) }
        #expect(tried.count == 8)
        for attempt in tried { #expect(attempt["found"] == attempt["wanted"], "\(attempt["name"].plain)") }
        // Between sending and acknowledgement.
        fixture.gateway.process.signal(SIGKILL)
        _ = try await fixture.gateway.process.ended()
        let again = try await fixture.restarted()
        let pushes = try await again.simulator.pushes(2)
        #expect(pushes.count == 2)
        try await again.wait(for: "the push to be accepted") {
            try await again.deliveries().first?["state"] == "accepted"
        }
        _ = try await python.ended()
    }
}
