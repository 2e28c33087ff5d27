import HTTPTypes
import HummingbirdTesting
import Testing

@testable import GatewayHTTP

@Suite("Limits of the server", .serialized, .timeLimit(.minutes(10)))
struct ServerLimitTests {
    private static let admin = "Authorization: Bearer \(TestGateway.adminToken)\r\n"
    private static let impatient = ServerLimits(requestTimeout: .milliseconds(200))

    /// More than the sockets' buffers take at their largest; created at once, so that no other test waits for a thread.
    private static let long = String(decoding: [UInt8](repeating: UInt8(ascii: "#"), count: 40 << 20), as: UTF8.self)

    private static func head(_ line: String, _ more: String = "") -> String {
        "\(line) HTTP/1.1\r\nHost: h\r\n\(admin)\(more)\r\n"
    }

    /// Runs a test with the port of a gateway, and checks afterwards that the next valid caller is served.
    private static func run(
        _ limits: ServerLimits,
        metrics: TestMetrics = TestMetrics(),
        log: CapturedLog = CapturedLog(),
        _ test: @escaping @Sendable (Int, API) async throws -> Void
    ) async throws {
        try await TestGateway.run(.live, limits: limits, metrics: metrics, logger: log.logger) { api in
            try await test(try #require(api.client.port), api)
            // The gateway notices a caller's close a moment later.
            #expect(await metrics.reaches("switchboard_http_open_connections", 1))
            let next = try RawClient(port: try #require(api.client.port))
            next.send(head("GET /v1/brands", "Connection: close\r\n"))
            // Hummingbird waits for the caller's end too.
            #expect(try #require(await next.readResponseHead()).hasPrefix("HTTP/1.1 200"))
            // A slow caller is not an error of the gateway.
            #expect(!log.text.contains("error a request failed unexpectedly"))
        }
    }

    @Test("a head that is not completed is closed without a response")
    func slowHead() async throws {
        let metrics = TestMetrics()
        try await Self.run(Self.impatient, metrics: metrics) { port, api in
            _ = try await api.call(.get, "/livez")
            let client = try RawClient(port: port)
            client.send("GET /livez HTTP/1.1\r\nHost: h\r\nX-A: ")
            #expect(await client.readToEnd() == "")
            #expect(metrics.value(#"switchboard_http_cut_off_total{reason="slow_head"}"#) == 1)
        }
    }

    @Test("a body that is not completed gets 408, and the connection is closed")
    func slowBody() async throws {
        let metrics = TestMetrics()
        try await Self.run(Self.impatient, metrics: metrics) { port, api in
            try await api.makeBrand()
            let client = try RawClient(port: port)
            client.send(
                Self.head(
                    "POST /v1/brands/acme/events",
                    "Content-Type: application/json\r\nX-Request-Id: mine\r\nContent-Length: 100\r\n"
                ) + "{"
            )
            let response = try #require(await client.readToEnd())
            #expect(response.hasPrefix("HTTP/1.1 408 "))
            #expect(response.contains("application/problem+json") && response.contains(#""code":"invalid_request""#))
            #expect(response.contains(#""requestId":"mine""#) && response.lowercased().contains("x-request-id: mine"))
            #expect(metrics.value(#"switchboard_http_cut_off_total{reason="slow_body"}"#) == 1)
        }
    }

    @Test("when an unneeded body does not arrive, the connection is closed after the response")
    func unneededBody() async throws {
        // Long enough for the response on a busy host.
        try await Self.run(ServerLimits(requestTimeout: .seconds(5))) { port, api in
            _ = try await api.call(.get, "/livez")
            let client = try RawClient(port: port)
            client.send(Self.head("GET /livez", "Content-Length: 100\r\n"))
            let response = try #require(await client.readToEnd())
            #expect(response.hasPrefix("HTTP/1.1 200") && !response.contains("HTTP/1.1 408"), "\(response)")
        }
    }

    @Test("a caller that does not read its response is closed")
    func slowReader() async throws {
        let response = Self.long
        let metrics = TestMetrics(response: response)
        try await Self.run(Self.impatient, metrics: metrics) { port, api in
            _ = try await api.call(.get, "/livez")
            let client = try RawClient(port: port, receiveBufferBytes: 4096)
            client.send(Self.head("GET /metrics"))
            #expect(await metrics.reaches(#"switchboard_http_cut_off_total{reason="slow_reader"}"#, 1))
            let part = try #require(await client.readToEnd())
            #expect(part.utf8.count < response.utf8.count)
        }
    }

    @Test("a caller that reads its large response slowly gets all of it")
    func steadyReader() async throws {
        let response = Self.long
        let metrics = TestMetrics(response: response)
        try await Self.run(ServerLimits(requestTimeout: .seconds(2)), metrics: metrics) { port, api in
            _ = try await api.call(.get, "/livez")
            let client = try RawClient(port: port, receiveBufferBytes: 65_536)
            client.send(Self.head("GET /metrics", "Connection: close\r\n"))
            let whole = try #require(await client.readToEnd())
            #expect(whole.utf8.count > response.utf8.count)
        }
    }

    @Test("connections beyond the limit get 503 with Retry-After, health checks succeed, and more are closed")
    func tooManyConnections() async throws {
        let metrics = TestMetrics()
        try await Self.run(ServerLimits(maxConnections: 3), metrics: metrics) { port, api in
            _ = try await api.call(.get, "/livez")
            let open = "switchboard_http_open_connections"
            let idle = [try RawClient(port: port), try RawClient(port: port)]
            #expect(await metrics.reaches(open, 3))
            let surplus = try RawClient(port: port)
            surplus.send(Self.head("POST /v1/brands", "Content-Length: 2\r\n") + "{}")
            let response = try #require(await surplus.readToEnd())
            #expect(response.hasPrefix("HTTP/1.1 503") && response.lowercased().contains("retry-after: 5"))
            #expect(response.contains(#""code":"overloaded""#) && response.contains(#""retryable":true"#))
            for path in ["/livez", "/readyz", "/metrics"] {
                let health = try RawClient(port: port)
                health.send(Self.head("GET \(path)"))
                #expect(try #require(await health.readToEnd()).hasPrefix("HTTP/1.1 200"))
            }
            #expect(await metrics.reaches(open, 3))
            let crowd = try (0..<ServerLimits.surplusConnections).map { _ in try RawClient(port: port) }
            #expect(await metrics.reaches(open, 3 + Double(crowd.count)))
            #expect(await (try RawClient(port: port)).readToEnd() == "")
            #expect(metrics.value(#"switchboard_http_refused_total{limit="connections"}"#) == 2)
            withExtendedLifetime((idle, crowd)) {}
        }
    }

    @Test("requests beyond the limit get 503 before their bodies are read; health checks succeed")
    func tooManyRequests() async throws {
        let metrics = TestMetrics()
        try await Self.run(ServerLimits(maxRequestsInFlight: 1), metrics: metrics) { port, api in
            try await api.makeBrand()
            var clients: [RawClient] = []
            let rejection = try await api.until {
                // The route waits for the rest of the body; a caller that was itself rejected takes no slot.
                let client = try RawClient(port: port)
                clients.append(client)
                client.send(
                    Self.head(
                        "POST /v1/brands/acme/events",
                        "Content-Type: application/json\r\nConnection: close\r\nContent-Length: 2\r\n"
                    ) + "["
                )
                return try await api.call(.get, "/v1/brands")
            } holds: {
                $0.status == 503
            }
            rejection.expectProblem(503, "overloaded")
            // The body is never sent: the response does not wait for it.
            let second = try RawClient(port: port)
            second.send(Self.head("POST /v1/brands", "Content-Length: 100\r\n"))
            #expect(try #require(await second.readResponseHead()).hasPrefix("HTTP/1.1 503"))
            for path in ["/livez", "/readyz", "/metrics"] {
                #expect(try await api.call(.get, path).status == 200)
            }
            var taken = 0
            for client in clients {
                client.send("]")
                if try #require(await client.readResponseHead()).hasPrefix("HTTP/1.1 202") { taken += 1 }
            }
            #expect(taken == 1)
            #expect((metrics.value(#"switchboard_http_refused_total{limit="requests"}"#) ?? 0) >= 2)
        }
    }

    @Test("a head larger than the decoder accepts is 400, and the connection closes", arguments: [100_000, 5_000_000])
    func largeHead(bytes: Int) async throws {
        try await Self.run(Self.impatient) { port, api in
            _ = try await api.call(.get, "/livez")
            let client = try RawClient(port: port)
            // The connection ends though its caller continues to write and never closes.
            await client.sendMuch("GET /livez HTTP/1.1\r\nX-Large: \(String(repeating: "a", count: bytes))\r\n\r\n")
            let response = try #require(await client.readToEnd())
            #expect(response.hasPrefix("HTTP/1.1 400") || response.isEmpty)
        }
    }
}
