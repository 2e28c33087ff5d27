import Foundation
import Testing

@testable import SwitchboardClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Transport over URLSession", .serialized, .timeLimit(.minutes(5)))
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
                    "Echo-Authorization": request.value(forHTTPHeaderField: "Authorization") ?? "",
                ]
            )
            if let response { client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed) }
            client?.urlProtocol(self, didLoad: Data(#"{"code":"rate_limited"}"#.utf8))
            client?.urlProtocolDidFinishLoading(self)
        }
    }

    private var transport: URLSessionTransport {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Loopback.self]
        return URLSessionTransport(session: URLSession(configuration: configuration))
    }

    @Test("method, headers, status and body go through; the case of a header's name does not count")
    func through() async throws {
        let url = try #require(URL(string: "https://gateway.example/v1/x"))
        let request = HTTPRequest(method: "PUT", url: url, body: Data("{}".utf8)).authorized(by: "t")
        let response = try await transport.send(request)
        #expect(response.status == 429)
        #expect(response.header("echo-METHOD") == "PUT")
        #expect(response.header("Echo-Authorization") == "Bearer t")
        #expect(response.failure.code == .rateLimited)
        #expect(response.failure.retryAfter == .seconds(7))
    }

    @Test("no response is an error, which the client reports as connectivity")
    func away() async throws {
        let url = try #require(URL(string: "https://gateway.example/away"))
        await #expect(throws: (any Error).self) {
            _ = try await transport.send(HTTPRequest(method: "GET", url: url))
        }
    }
}
