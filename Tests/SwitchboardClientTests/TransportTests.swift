import Foundation
import Testing

@testable import SwitchboardClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Transport over URLSession", .serialized, .timeLimit(.minutes(15)))
struct TransportTests {
    /// A protocol that responds without a network; the requests go to the host of the test.
    private final class Loopback: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { true }
        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
        override func stopLoading() {}
        override func startLoading() {
            guard let url = request.url, url.path != "/away" else {
                client?.urlProtocol(self, didFailWithError: URLError(.cannotConnectToHost))
                return
            }
            let response = HTTPURLResponse(
                url: url,
                statusCode: 429,
                httpVersion: "HTTP/1.1",
                headerFields: [
                    "Retry-After": "7", "Echo-Method": request.httpMethod ?? "",
                    "Echo-Timeout": "\(request.timeoutInterval)",
                    "Echo-Authorization": request.value(forHTTPHeaderField: "Authorization") ?? "",
                ]
            )
            if let response { client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed) }
            if url.path == "/large" { client?.urlProtocol(self, didLoad: Data(count: HTTPResponse.maxBodyBytes)) }
            client?.urlProtocol(self, didLoad: Data(#"{"code":"rate_limited"}"#.utf8))
            client?.urlProtocolDidFinishLoading(self)
        }
    }

    private var transport: URLSessionTransport {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Loopback.self]
        return URLSessionTransport(configuration: configuration)
    }

    @Test("method, headers, status and body go through; the case of a header's name does not count")
    func through() async throws {
        let url = try #require(URL(string: "https://gateway.example/v1/x"))
        let request = HTTPRequest(method: "PUT", url: url, body: Data("{}".utf8), timeout: .milliseconds(1500))
            .authorized(by: "t")
        let response = try await transport.send(request)
        #expect(response.status == 429)
        #expect(response.header("echo-METHOD") == "PUT")
        #expect(response.header("Echo-Authorization") == "Bearer t")
        #expect(response.header("Echo-Timeout") == "2.0")
        #expect(response.failure.code == .rateLimited)
        #expect(response.failure.retryAfter == .seconds(7))
    }

    @Test("a body over the limit is an error of its own, and not repeated")
    func large() async throws {
        let url = try #require(URL(string: "https://gateway.example/large"))
        let transport = transport
        let sent = await failure { _ = try await transport.send(HTTPRequest(method: "GET", url: url)) }
        #expect(sent?.code == .responseTooLarge && sent?.isRetryable == false)
        let response = HTTPResponse(status: 200, body: Data(count: HTTPResponse.maxBodyBytes + 1))
        #expect(throws: HTTPResponse.tooLarge) { try response.value() }
    }

    @Test("the configuration of the app is not changed")
    func configuration() {
        let configuration = URLSessionConfiguration.default
        _ = URLSessionTransport(configuration: configuration)
        #expect(configuration.httpCookieStorage != nil)
        #expect(configuration.requestCachePolicy == .useProtocolCachePolicy)
    }

    @Test("a redirect is not followed, so that the token does not reach another host")
    func redirect() async throws {
        let server = try LoopbackServer { port in
            "HTTP/1.1 302 Found\r\nLocation: http://localhost:\(port)/other\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/v1/x"))
        let request = HTTPRequest(method: "GET", url: url).authorized(by: "secret")
        let response = try await URLSessionTransport().send(request)
        #expect(response.status == 302)
        #expect(response.failure.code == .malformedResponse)
        #expect(server.requests.count == 1)
        #expect(server.requests.first?.contains("Authorization: Bearer secret") == true)
    }

    @Test("a whole call over a socket")
    func socket() async throws {
        let body = #"{"unread":6,"conversations":[],"asOf":"2026-01-02T03:04:05.678Z"}"#
        let server = try LoopbackServer { _ in
            "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
        let client = SwitchboardClient(
            configuration: ClientConfiguration(serverURL: url, brandID: "acme", appID: "app"),
            storage: MemoryStorage()
        )
        await client.setCopilotTokenProvider(CopilotTokenCallback { _, completion in completion(.success("key")) })
        try await client.initialize(.copilot(userID: "u-1"))
        #expect(try await client.unreadCount() == 6)
        #expect(server.requests.first?.hasPrefix("GET /v1/brands/acme/unread HTTP/1.1\r\n") == true)
    }

    @Test("a request ends whenever its task is cancelled, also before it begins")
    func cancelled() async throws {
        let server = try LoopbackServer { _ in "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n" }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/v1/x"))
        let transport = URLSessionTransport()
        var count = 0
        for _ in 0..<50 {
            let task = Task { try await transport.send(HTTPRequest(method: "GET", url: url)) }
            task.cancel()
            _ = await task.result
            count += 1
        }
        #expect(count == 50)
    }

    /// A transport that reports a cancellation as a URL session does.
    private final class Waiting: HTTPTransport {
        private let began = Locked(false)
        var hasBegun: Bool { began.withLock { $0 } }
        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            began.withLock { $0 = true }
            try? await Task.sleep(for: .seconds(3600))
            throw URLError(.cancelled)
        }
    }

    @Test("a call whose task is cancelled is `cancelled`, and no connectivity error")
    func cancelledCall() async throws {
        let transport = Waiting()
        let url = try #require(URL(string: "https://gateway.example"))
        var configuration = ClientConfiguration(serverURL: url, brandID: "acme", appID: "app")
        configuration.retry.messages = .none
        let client = SwitchboardClient(configuration: configuration, storage: MemoryStorage(), transport: transport)
        await client.setCopilotTokenProvider(CopilotTokenCallback { _, completion in completion(.success("key")) })
        try await client.initialize(.copilot(userID: "u-1"))
        let call = Task { await failure { _ = try await client.messages() } }
        while !transport.hasBegun { await Task.yield() }
        call.cancel()
        #expect(await call.value?.code == .cancelled)
    }

    @Test("no response is an error, which the client reports as connectivity")
    func away() async throws {
        let url = try #require(URL(string: "https://gateway.example/away"))
        await #expect(throws: (any Error).self) {
            _ = try await transport.send(HTTPRequest(method: "GET", url: url))
        }
    }
}
