import AsyncHTTPClient
import NIOCore
import ProcessHarness

extension Installation {
    /// Returns a metric of the gateway.
    ///
    /// - Parameters:
    ///   - name: Its name, with its labels.
    ///   - http: An HTTP client.
    /// - Returns: The value; 0 when the gateway does not export it.
    /// - Throws: An error when the gateway does not respond.
    func metric(_ name: String, _ http: HTTPClient) async throws -> Double {
        let request = HTTPClientRequest(url: gateway.url + "/metrics")
        let body = try await http.execute(request, timeout: .seconds(60)).body.collect(upTo: 16 << 20)
        let line = String(buffer: body).split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Double($0.dropFirst(name.utf8.count + 1)) } ?? 0
    }
}
