package import AsyncHTTPClient
import NIOCore
import NIOHTTP1

extension SimulatorProcess {
    /// Sets the simulator's rules, a JSON array in the form of the control port.
    package func setRules(_ rules: String, _ http: HTTPClient) async throws {
        var request = HTTPClientRequest(url: control + "/rules")
        request.method = .PUT
        request.body = .bytes(ByteBuffer(string: rules))
        let response = try await http.execute(request, timeout: .seconds(10))
        guard response.status == .ok else {
            throw HarnessError("the simulator responded \(response.status) to its rules")
        }
    }
}
