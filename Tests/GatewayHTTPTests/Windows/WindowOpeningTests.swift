import Foundation
import GatewayModel
import HTTPTypes
import HummingbirdTesting
import Messaging
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Opening a window", .timeLimit(.minutes(10)))
struct WindowOpeningTests {
    @Test("sends the current state and notifies presence, and the client's close ends it")
    func opening() async throws {
        let metrics = TestMetrics()
        try await TestGateway.run(.live, metrics: metrics) { api in
            try await api.makeBrand()
            try await api.post("m-1")
            try await api.post("m-2")
            let session = try await api.makeSession(device: "d-1")
            let port = try #require(api.client.port)
            let window = try await WindowClient(port: port, path: "/v1/brands/acme/window", as: session)
            #expect(window.response.hasPrefix("HTTP/1.1 101 "))
            #expect(window.response.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
            #expect(!window.response.lowercased().contains("sec-websocket-protocol"))
            let ready = try await window.receive()
            #expect(
                ready
                    == (try JSON(
                        #"{"type":"ready","unread":2,"conversations":[{"id":"c-1","lastSequence":2,"readSequence":0}]}"#
                    ))
            )
            #expect(api.presence.notified == ["+ u-1 d-1"])
            #expect(metrics.value("switchboard_windows_open") == 1)
            window.send(WindowClient.frame(8, [0x03, 0xE8]))
            #expect(await window.end() == "1000 ")
            #expect(await window.next() == nil)
            #expect(await api.presence.isNotified("- u-1 d-1"))
            #expect(await metrics.reaches(#"switchboard_windows_closed_total{reason="client"}"#, 1))
            #expect(metrics.value("switchboard_windows_open") == 0)
        }
    }

    @Test("takes the token from the subprotocols of a browser, and selects only its own subprotocol")
    func subprotocols() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            guard case .bearer(let token) = try await api.makeSession(device: "d-7") else {
                throw TestFailure("no token")
            }
            let window = try await WindowClient(
                port: try #require(api.client.port),
                path: "/v1/brands/acme/window?deviceId=d-7",
                headers: ["Sec-WebSocket-Protocol: switchboard.v1, bearer.\(token)"]
            )
            #expect(window.response.contains("Sec-WebSocket-Protocol: switchboard.v1\r\n"))
            #expect(!window.response.contains(token))
            #expect(try await window.receive()["type"]?.string == "ready")
            #expect(api.presence.notified == ["+ u-1 d-7"])
        }
    }

    /// An invalid token, and the close code.
    struct Rejection: Sendable, CustomStringConvertible {
        var description: String
        var path = "/v1/brands/acme/window"
        var credential: @Sendable (API) async throws -> Credential
        var close: String
    }

    static let rejections = [
        Rejection(description: "no token", credential: { _ in .none }, close: "4401 token_missing"),
        Rejection(
            description: "no token of ours",
            credential: { _ in .bearer("x") },
            close: "4403 token_invalid: malformed"
        ),
        Rejection(description: "the admin's", credential: { _ in .admin }, close: "4403 token_invalid: malformed"),
        Rejection(
            description: "Basic",
            credential: { try await $0.makeAccount("acme", "events:write") },
            close: "4403 token_invalid: malformed"
        ),
        Rejection(
            description: "an unknown one",
            credential: { _ in .bearer("sbs_" + String(repeating: "A", count: 59)) },
            close: "4403 token_invalid: revoked"
        ),
        Rejection(
            description: "one that expired",
            credential: { api in
                let session = try await api.makeSession()
                api.clock.advance(seconds: 400 * 86_400)
                return session
            },
            close: "4401 token_expired"
        ),
        Rejection(
            description: "one that was logged out",
            credential: { api in
                let session = try await api.makeSession()
                _ = try await api.call(.delete, "/v1/brands/acme/sessions/current", as: session)
                return session
            },
            close: "4403 token_invalid: revoked"
        ),
        Rejection(
            description: "another brand's",
            path: "/v1/brands/other/window",
            credential: { api in
                try await api.makeBrand("other")
                return try await api.makeSession()
            },
            close: "4403 token_invalid: revoked"
        ),
        Rejection(
            description: "no brand's",
            path: "/v1/brands/%00/window",
            credential: { try await $0.makeSession() },
            close: "4403 token_invalid: revoked"
        ),
        Rejection(
            description: "another device's",
            path: "/v1/brands/acme/window?deviceId=d-2",
            credential: { try await $0.makeSession(device: "d-1") },
            close: "4403 forbidden"
        ),
        Rejection(
            description: "a device that cannot be one",
            path: "/v1/brands/acme/window?deviceId=",
            credential: { try await $0.makeSession() },
            close: "4400 invalid_request: deviceId"
        ),
    ]

    @Test("always succeeds, and then closes with the code and the reason of the error", arguments: rejections)
    func refused(_ rejection: Rejection) async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let credential = try await rejection.credential(api)
            let window = try await WindowClient(
                port: try #require(api.client.port),
                path: rejection.path,
                as: credential
            )
            #expect(window.response.hasPrefix("HTTP/1.1 101 "))
            #expect(await window.end() == rejection.close)
            window.send(WindowClient.frame(8, []))
            #expect(await window.next() == nil)
            #expect(api.presence.notified.isEmpty)
        }
    }

    @Test("is an HTTP error when the upgrade request is invalid")
    func handshakes() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            let port = try #require(api.client.port)
            let old = try await WindowClient(port: port, as: session, version: "8")
            #expect(old.response.hasPrefix("HTTP/1.1 426 "))
            #expect(old.response.contains("Sec-WebSocket-Version: 13"))
            let elsewhere = try await WindowClient(port: port, path: "/v1/brands/acme/unread", as: session)
            #expect(elsewhere.response.hasPrefix("HTTP/1.1 200 "))
            let plain = try await api.call(.get, "/v1/brands/acme/window", as: session)
            #expect(plain.status == 426)
            #expect(try await api.call(.post, "/v1/brands/acme/window", as: session, "{}").status == 405)
            #expect(api.presence.notified.isEmpty)
        }
    }

    @Test("works on a connection that was used before, as with proxies, and is not closed by the idle timeout")
    func usedConnection() async throws {
        // Longer than a call of a test may take on a busy host.
        let limits = ServerLimits(idleTimeout: .seconds(30))
        try await TestGateway.run(.live, limits: limits, windows: WindowLimits(idleSeconds: 600)) { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            let port = try #require(api.client.port)
            let connection = try RawClient(port: port)
            for path in ["/livez", "/v1/brands/acme/unread"] {
                connection.send("GET \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody")
                let response = try #require(await connection.readResponseHead())
                #expect(response.hasPrefix(path == "/livez" ? "HTTP/1.1 200 " : "HTTP/1.1 401 "))
            }
            let window = try await WindowClient(
                port: port,
                on: connection,
                as: session,
                with: WindowClient.frame(1, Array("{}".utf8))
            )
            #expect(window.response.hasPrefix("HTTP/1.1 101 "))
            #expect(try await window.receive()["type"]?.string == "ready")
            #expect(try await window.receive()["type"]?.string == "error")
            // A connection that was idle from now on has been closed.
            let idle = try RawClient(port: port)
            idle.send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(await idle.readToEnd()?.hasPrefix("HTTP/1.1 200 ") == true)
            window.say("[]")
            #expect(await window.end() == "4400 invalid_request: not an object")
            #expect(await window.next() == nil)
            #expect(await api.presence.isNotified("- u-1 any"))
        }
    }

    @Test("does not wait for other responses: an early request is handled as HTTP, and the connection ends")
    func pipelined() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let connection = try RawClient(port: try #require(api.client.port))
            connection.send(
                """
                GET /livez HTTP/1.1\r\nHost: x\r\n\r\nGET /v1/brands/acme/window HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r
                Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n
                """
            )
            let responses = try #require(await connection.readToEnd())
            #expect(responses.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) } == ["200", "426"])
            #expect(api.presence.notified.isEmpty)
        }
    }

    @Test("releases its connection's slot, and has its own slots")
    func places() async throws {
        let limits = ServerLimits(maxConnections: 3)
        let metrics = TestMetrics()
        try await TestGateway.run(.live, limits: limits, windows: WindowLimits(maxOpen: 3), metrics: metrics) { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            let port = try #require(api.client.port)
            var windows: [WindowClient] = []
            for _ in 0..<3 {
                let window = try await WindowClient(port: port, as: session)
                #expect(try await window.receive()["type"]?.string == "ready")
                windows.append(window)
            }
            let fourth = try await WindowClient(port: port, as: session)
            #expect(await fourth.end() == "1013 overloaded")
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: session).status == 200)
            windows[0].send(WindowClient.frame(8, []))
            #expect(await windows[0].end() == "none")
            #expect(await api.presence.isNotified("- u-1 any"))
            // Its slot is free when the connection is closed.
            #expect(await metrics.reaches("switchboard_windows_open", 2))
            let next = try await WindowClient(port: port, as: session)
            #expect(try await next.receive()["type"]?.string == "ready")
        }
    }

    @Test("is rejected for a consumer who has fifty, and for nobody else")
    func perConsumer() async throws {
        try await TestGateway.run(.live, limits: ServerLimits(rates: .none)) { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            let port = try #require(api.client.port)
            var windows: [WindowClient] = []
            for _ in 0..<50 {
                let window = try await WindowClient(port: port, as: session)
                #expect(try await window.receive()["type"]?.string == "ready")
                windows.append(window)
            }
            #expect(await (try WindowClient(port: port, as: session)).end() == "1013 overloaded")
            let other = try await WindowClient(port: port, as: try await api.makeSession("u-2"))
            #expect(try await other.receive()["type"]?.string == "ready")
        }
    }

    @Test("is slowed down when one address sends many invalid tokens")
    func addresses() async throws {
        let limits = ServerLimits(rates: RateLimits(addressPerSecond: 1))
        try await TestGateway.run(.live, limits: limits) { api in
            let port = try #require(api.client.port)
            var closes: [String?] = []
            for _ in 0..<6 {
                let window = try await WindowClient(
                    port: port,
                    as: .bearer("sbs_" + String(repeating: "A", count: 59)),
                    headers: ["X-Forwarded-For: 192.0.2.7"]
                )
                closes.append(await window.end())
            }
            #expect(closes.prefix(5).allSatisfy { $0 == "4403 token_invalid: revoked" })
            #expect(closes.last == "1013 overloaded: rate_limited")
            let other = try await WindowClient(port: port, headers: ["X-Forwarded-For: 192.0.2.8"])
            #expect(await other.end() == "4401 token_missing")
        }
    }
}

/// The reason for which a test cannot continue.
struct TestFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
