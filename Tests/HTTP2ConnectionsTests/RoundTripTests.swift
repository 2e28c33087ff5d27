import HTTP2Connections
import NIOCore
import TestSupport
import Testing

@Suite("Client and server over TLS")
struct RoundTripTests {
    @Test("a request arrives complete and its response comes back", .timeLimit(.minutes(10)))
    func echo() async throws {
        let echo: TestApplication.Responder = { request in
            HTTP2ServerResponse(
                status: 201,
                headers: [("apns-id", request["apns-id"] ?? "none"), ("content-type", "application/json")],
                body: request.body
            )
        }
        try await Loopback.run(respond: echo) { loopback in
            let request = HTTP2Request(
                id: 7,
                path: "/3/device/abc?x=1",
                headers: [
                    HTTP2Header(name: "apns-id", value: "one", indexing: .withoutIndexing),
                    HTTP2Header(name: "authorization", value: "bearer t", indexing: .neverIndexed),
                    HTTP2Header(name: "apns-topic", value: "com.example"),
                ],
                body: Array("{\"aps\":{}}".utf8)
            )
            let response = await loopback.queue.send(request)
            #expect(response.id == 7)
            guard case .response(let status, let headers, let body) = response.result else {
                Issue.record("\(response)")
                return
            }
            #expect(status == 201)
            #expect(headers["apns-id"] == "one")
            #expect(headers.fields.map(\.name) == ["apns-id", "content-type"])
            #expect(body == request.body)
            let arrived = try #require(await loopback.application.events.requests(1).first)
            #expect(arrived.method == "POST")
            #expect(arrived.path == "/3/device/abc?x=1")
            #expect(arrived["authorization"] == "bearer t")
            #expect(arrived["apns-topic"] == "com.example")
            #expect(arrived[":authority"] == "localhost:\(loopback.server.port)")
            #expect(arrived.body == request.body)
        }
    }

    @Test("many requests share one connection and each gets one response", .timeLimit(.minutes(10)))
    func many() async throws {
        let echo: TestApplication.Responder = { HTTP2ServerResponse(status: 200, body: $0.body) }
        try await Loopback.run(respond: echo, client: .oneConnection) { loopback in
            let responses = await loopback.submit(5000, body: Array(repeating: 120, count: 400)).take(5000)
            #expect(Set(responses.map(\.id)).count == 5000)
            #expect(responses.allSatisfy { $0.status == 200 })
            #expect(loopback.server.openConnections.count == 1)
        }
    }
}
