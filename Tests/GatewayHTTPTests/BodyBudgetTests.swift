import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import GatewayHTTP

@Suite("Memory for request bodies", .serialized, .timeLimit(.minutes(10)))
struct BodyBudgetTests {
    private static let held = "switchboard_http_body_bytes"
    private static let refused = #"switchboard_http_refused_total{limit="body_bytes"}"#

    private static func head(_ length: String, from address: String? = nil) -> String {
        let forwarded = address.map { "X-Forwarded-For: \($0)\r\n" } ?? ""
        return "POST /v1/brands/acme/events HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer \(TestGateway.adminToken)\r\n"
            + "Content-Type: application/json\r\n\(forwarded)\(length)\r\n\r\n"
    }

    private static func text(_ count: Int) -> String { "[" + String(repeating: " ", count: count - 1) }

    @Test("memory grows by doubling with the bytes that arrive, and is not allocated again for each part")
    func growth() {
        var (body, arrived, growths) = (ByteBuffer(string: "x"), 1, 0)
        var part = ByteBuffer()
        while arrived < 1 << 20 {
            part.clear()
            part.writeRepeatingByte(32, count: 100)
            let before = body.capacity
            body.append(&part)
            arrived += 100
            if body.capacity != before { growths += 1 }
            #expect(body.readableBytes == arrived && body.writableBytes >= Call.padding)
            #expect(body.capacity <= 2 * (arrived + Call.padding))
        }
        #expect(growths < 20)
    }

    @Test("a body for which there is no room is rejected before it is read, and all room is released")
    func rejections() async throws {
        let metrics = TestMetrics()
        let limits = ServerLimits(bodyBytes: 100_000, requestTimeout: .seconds(3600))
        try await TestGateway.run(.live, limits: limits, metrics: metrics) { api in
            try await api.makeBrand()
            let port = try #require(api.client.port)
            let first = try RawClient(port: port)
            first.send(Self.head("Connection: close\r\nContent-Length: 90000") + Self.text(60_000))
            #expect(await metrics.reaches(Self.held, 60_000))
            // Nothing of this body is ever sent.
            let second = try RawClient(port: port)
            second.send(Self.head("Content-Length: 50000"))
            let response = try #require(await second.readResponseHead())
            #expect(response.hasPrefix("HTTP/1.1 503") && response.lowercased().contains("retry-after: 1"))
            #expect(metrics.value(Self.refused) == 1)
            // The length of this body is unknown before it is too long.
            let third = try RawClient(port: port)
            third.send(
                Self.head("Connection: close\r\nTransfer-Encoding: chunked") + "7530\r\n\(Self.text(30_000))\r\n"
            )
            #expect(await metrics.reaches(Self.held, 90_000))
            third.send("7530\r\n\(Self.text(30_000))\r\n")
            #expect(try #require(await third.readResponseHead()).hasPrefix("HTTP/1.1 503"))
            #expect(await metrics.reaches(Self.held, 60_000))
            // A body that fits is accepted.
            let event = #"{"id":"e","type":"x"}"#
            #expect(try await api.call(.post, "/v1/brands/acme/events", event).status == 422)
            #expect(await metrics.reaches(Self.held, 60_000))
            // One that ends with its response, and one whose caller disconnects.
            first.send(String(repeating: " ", count: 29_999) + "]")
            #expect(try #require(await first.readResponseHead()).hasPrefix("HTTP/1.1 "))
            #expect(await metrics.reaches(Self.held, 0))
            do {
                let gone = try RawClient(port: port)
                gone.send(Self.head("Content-Length: 90000") + Self.text(60_000))
                #expect(await metrics.reaches(Self.held, 60_000))
            }
            #expect(await metrics.reaches(Self.held, 0))
        }
    }

    @Test("one address leaves room for the bodies of another")
    func addresses() async throws {
        let metrics = TestMetrics()
        let limits = ServerLimits(bodyBytes: 100_000, requestTimeout: .seconds(3600))
        try await TestGateway.run(.live, limits: limits, metrics: metrics) { api in
            try await api.makeBrand()
            let port = try #require(api.client.port)
            let greedy = try (0..<4).map { _ in
                let client = try RawClient(port: port)
                client.send(Self.head("Content-Length: 20000", from: "203.0.113.9") + Self.text(19_000))
                return client
            }
            #expect(await metrics.reaches(Self.held, 76_000))
            for (address, isRefused) in [("203.0.113.9", true), ("203.0.113.10", false)] {
                let client = try RawClient(port: port)
                client.send(Self.head("Content-Length: 10000", from: address) + Self.text(9999) + "]")
                #expect(
                    try #require(await client.readResponseHead()).hasPrefix("HTTP/1.1 503") == isRefused,
                    "\(address)"
                )
            }
            withExtendedLifetime(greedy) {}
        }
    }

    @Test("500 callers that announce a MiB and send one byte hold 500 bytes")
    func announcements() async throws {
        let metrics = TestMetrics()
        let limits = ServerLimits(bodyBytes: 4 << 20, requestTimeout: .seconds(3600))
        try await TestGateway.run(.live, limits: limits, metrics: metrics) { api in
            try await api.makeBrand()
            let port = try #require(api.client.port)
            let clients = try (0..<500).map { _ in
                let client = try RawClient(port: port)
                client.send(Self.head("Content-Length: 1048576") + "{")
                return client
            }
            #expect(await metrics.reaches(Self.held, 500))
            #expect(metrics.value(Self.refused) ?? 0 == 0)
            for client in clients { client.endOfInput() }
            #expect(await metrics.reaches(Self.held, 0))
        }
    }
}
