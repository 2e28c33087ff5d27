package import AsyncHTTPClient
import Foundation
import NIOCore

extension SimulatorProcess {
    /// Returns the number of accepted pushes since its start.
    package func acceptedPushes(_ http: HTTPClient) async throws -> Int {
        let response = try await http.execute(HTTPClientRequest(url: control + "/stats"), timeout: .seconds(10))
        let bytes = try await response.body.collect(upTo: 1 << 20)
        let stats = try JSONSerialization.jsonObject(with: Data(bytes.readableBytesView)) as? [String: Any]
        guard let accepted = stats?["accepted"] as? Int else {
            throw HarnessError("the simulator's stats lack 'accepted'")
        }
        return accepted
    }
}
