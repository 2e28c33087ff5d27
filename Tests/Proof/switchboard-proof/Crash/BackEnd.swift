import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import ProcessHarness

/// A contact centre's back-end: it retries until it has a definite response, as our documentation requires.
struct BackEnd: Sendable {
    /// A client that keeps one connection alive, for one request at a time.
    let http: HTTPClient
    /// `http://host:port` of the gateway, the same at each of its starts.
    let server: String
    /// The value of `authorization`: secret.
    let authorization: String

    /// A definite response.
    struct Response {
        /// The HTTP status: anything but 429 and 5xx.
        var status: Int
        /// The body.
        var body: Data
        /// The number of attempts without a definite response.
        var retries: Int
    }

    /// Sends one request, with retries for a minute at most, and returns the first definite response.
    func call(_ method: String, _ path: String, _ body: String? = nil) async throws -> Response {
        let deadline = ContinuousClock.now + .seconds(60)
        var retries = 0
        while true {
            do {
                let (status, data) = try await once(method, path, body)
                if status != 429, status < 500 { return Response(status: status, body: data, retries: retries) }
                guard ContinuousClock.now < deadline else {
                    throw HarnessError("\(method) \(path): still \(status) after a minute")
                }
            } catch let error as HarnessError {
                throw error
            } catch {
                // The gateway is dead or dying; whether it accepted the request is not known.
                guard ContinuousClock.now < deadline else {
                    throw HarnessError("\(method) \(path): no response for a minute: \(error)")
                }
            }
            retries += 1
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Sends one request, requires a 2xx response, and returns its JSON object, empty when there is none.
    func object(_ method: String, _ path: String, _ body: String? = nil) async throws -> [String: Any] {
        let response = try await call(method, path, body)
        guard (200..<300).contains(response.status) else {
            throw HarnessError(
                "\(method) \(path): \(response.status) \(String(decoding: response.body, as: UTF8.self))"
            )
        }
        return try JSONSerialization.jsonObject(with: response.body) as? [String: Any] ?? [:]
    }

    private func once(_ method: String, _ path: String, _ body: String?) async throws -> (Int, Data) {
        var request = HTTPClientRequest(url: "\(server)/v1/brands/\(CrashSettings.brand)\(path)")
        request.method = .RAW(value: method)
        request.headers.add(name: "authorization", value: authorization)
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: body))
        }
        let response = try await http.execute(request, timeout: .seconds(15))
        let bytes = try await response.body.collect(upTo: 16 << 20)
        return (Int(response.status.code), Data(bytes.readableBytesView))
    }
}
