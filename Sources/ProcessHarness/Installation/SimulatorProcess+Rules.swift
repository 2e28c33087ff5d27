package import AsyncHTTPClient
import NIOCore
import NIOHTTP1

extension SimulatorProcess {
    /// Sets the rules by which it misbehaves.
    ///
    /// - Parameters:
    ///   - rules: A JSON array of rules, as its control port takes them.
    ///   - http: A client.
    /// - Throws: ``HarnessError`` when it refuses them.
    package func setRules(_ rules: String, _ http: HTTPClient) async throws {
        var request = HTTPClientRequest(url: control + "/rules")
        request.method = .PUT
        request.body = .bytes(ByteBuffer(string: rules))
        let response = try await http.execute(request, timeout: .seconds(10))
        guard response.status == .ok else {
            throw HarnessError("the simulator answered \(response.status) to its rules")
        }
    }
}
