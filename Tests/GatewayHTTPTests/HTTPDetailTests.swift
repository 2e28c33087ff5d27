import HTTPTypes
import HummingbirdTesting
import Testing

@testable import GatewayHTTP

/// Fields of HTTP that real clients send and that are easily handled wrongly.
@Suite("Details of HTTP", .serialized, .timeLimit(.minutes(10)))
struct HTTPDetailTests {
    private static let admin = "Authorization: Bearer \(TestGateway.adminToken)\r\n"
    private static let event =
        #"{"id":"e-1","type":"agent.message","consumer":"u-1","conversation":"c-1","text":"hello"}"#

    private static func post(_ fields: String, length: Int? = nil) -> String {
        "POST /v1/brands/acme/events HTTP/1.1\r\nHost: h\r\n\(admin)Content-Type: application/json\r\n\(fields)"
            + "Content-Length: \(length ?? event.utf8.count)\r\n\r\n"
    }

    @Test("a request that asks for another protocol is answered as HTTP/1.1, and the connection stays open")
    func foreignUpgrade() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let client = try RawClient(port: try #require(api.client.port))
            // As Java's client sends it with its first request.
            let upgrade = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAB\r\n"
            let get = "GET /v1/brands/acme HTTP/1.1\r\nHost: h\r\n\(Self.admin)"
            client.send(get + upgrade + "\r\n")
            let first = try #require(await client.read(until: #""id":"acme""#))
            #expect(first.hasPrefix("HTTP/1.1 200") && !first.lowercased().contains("connection: close"))
            // With a body, and the next request in the same bytes.
            client.send(Self.post(upgrade) + Self.event + get + "Connection: close\r\n\r\n")
            let rest = try #require(await client.readToEnd())
            #expect(rest.contains("HTTP/1.1 202") && rest.contains("HTTP/1.1 200"), "\(rest)")
        }
    }

    @Test("Expect: 100-continue is answered before the body is sent, and a body that is too long is rejected unsent")
    func expectContinue() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let port = try #require(api.client.port)
            let client = try RawClient(port: port)
            client.send(Self.post("Expect: 100-continue\r\n"))
            #expect(try #require(await client.readResponseHead()).hasPrefix("HTTP/1.1 100 "))
            client.send(Self.event)
            #expect(try #require(await client.readResponseHead()).hasPrefix("HTTP/1.1 202 "))
            for fields in ["Expect: 100-continue\r\n", ""] {
                let long = try RawClient(port: port)
                long.send(Self.post(fields, length: 99_999_999))
                #expect(try #require(await long.readResponseHead()).hasPrefix("HTTP/1.1 413 "))
            }
            for (value, status) in [("100-Continue, ", "202"), ("100-continue, more", "417"), ("200-ok", "417")] {
                let other = try RawClient(port: port)
                other.send(Self.post("Expect: \(value)\r\nConnection: close\r\n") + Self.event)
                #expect(try #require(await other.readToEnd()).contains("HTTP/1.1 \(status) "), "\(value)")
            }
        }
    }

    @Test("a body with a Content-Encoding is 415, identity is none; only events may have gzip")
    func contentEncoding() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let brand = #"{"id":"other","name":"Other"}"#
            for (path, body, coding, status) in [
                ("/v1/brands", brand, "gzip", 415), ("/v1/brands", brand, "br", 415),
                ("/v1/brands", brand, "Identity", 201), ("/v1/brands/acme/events", Self.event, "br", 415),
                ("/v1/brands/acme/events", Self.event, "GZIP, identity", 415),
                ("/v1/brands/acme/events", Self.event, "Identity", 202),
            ] {
                let fields: HTTPFields = [.contentEncoding: coding, .contentLength: String(body.utf8.count)]
                let reply = try await api.call(.post, path, body, headers: fields)
                #expect(reply.status == status, "\(path) \(coding)")
                if status == 415 { reply.expectProblem(415, "unsupported_media_type") }
            }
        }
    }

    @Test("a request of HTTP/1.0 ends its connection, unless it asks to keep it")
    func oldVersion() async throws {
        try await TestGateway.run(.live, limits: ServerLimits(idleTimeout: .seconds(3600))) { api in
            let client = try RawClient(port: try #require(api.client.port))
            client.send("GET /livez HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
            #expect(try #require(await client.readResponseHead()).hasPrefix("HTTP/1.1 200"))
            client.send("GET /livez HTTP/1.0\r\n\r\n")
            #expect(try #require(await client.readToEnd()).contains("HTTP/1.1 200"))
        }
    }

    @Test("streams tell nginx not to buffer them")
    func accelBuffering() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let client = try RawClient(port: try #require(api.client.port))
            client.send("GET /v1/brands/acme/deliveries/tail HTTP/1.1\r\nHost: h\r\n\(Self.admin)\r\n")
            #expect(try #require(await client.readResponseHead()).lowercased().contains("x-accel-buffering: no"))
        }
    }

    @Test("a sender of CloudEvents gets the consent that it asks for, and nothing else")
    func eventConsent() async throws {
        try await TestGateway.run { api in
            let events = "/v1/brands/acme/events"
            let asked: HTTPFields = [.webHookRequestOrigin: "sender.example.com"]
            let consent = try await api.call(.options, events, as: .none, headers: asked)
            #expect(consent.status == 200 && consent.headers[.webHookAllowedOrigin] == "sender.example.com")
            #expect(consent.headers[.webHookAllowedRate] == "*" && consent.headers[.allow] == "POST")
            #expect(consent.headers[.accessControlAllowOrigin] == nil)
            try await api.call(.options, events, as: .none).expectProblem(405, "method_not_allowed")
            try await api.call(.options, "/v1/brands", as: .none, headers: asked).expectProblem(
                405,
                "method_not_allowed"
            )
        }
    }
}
