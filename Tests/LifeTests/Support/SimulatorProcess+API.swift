import Foundation
import GatewayClient
import ProcessHarness
import Testing

extension SimulatorProcess {
    /// Returns an iOS app that uses the simulator.
    ///
    /// - Returns: The body of its `PUT`.
    /// - Throws: An error when the simulator's files are not as expected.
    func iOSAppBody() throws -> JSONValue { try JSONValue(parsing: Data(try iOSApp().utf8)) }

    /// Returns an Android app that uses the simulator.
    ///
    /// - Returns: The body of its `PUT`.
    /// - Throws: An error when the simulator's files are not as expected.
    func androidAppBody() throws -> JSONValue { try JSONValue(parsing: Data(try androidApp().utf8)) }

    /// Waits for pushes.
    ///
    /// - Parameter count: The number of pushes since its start to wait for.
    /// - Returns: All pushes.
    /// - Throws: An error when they do not arrive in time.
    func pushes(_ count: Int) async throws -> [JSONValue] {
        try await pushes("\(count)") { $0.count >= count }
    }

    /// Waits for pushes.
    ///
    /// - Parameters:
    ///   - what: The description for the error.
    ///   - isEnough: Whether the pushes since its start, in order, fulfil the condition.
    /// - Returns: All pushes.
    /// - Throws: An error when they do not arrive in time.
    func pushes(_ what: String, until isEnough: ([JSONValue]) -> Bool) async throws -> [JSONValue] {
        let control = APIClient(server: control)
        var items: [JSONValue] = []
        // Longer than a lane is stopped after one rejected credential: 30 s.
        let deadline = ContinuousClock.now + .seconds(540)
        while ContinuousClock.now < deadline {
            let after = items.last?["number"].integer ?? 0
            let query = [("after", String(after)), ("waitSeconds", "3")]
            let response = try await control.call("GET", ["pushes"], query: query)
            items += response.body["pushes"].items
            if isEnough(items) { return items }
        }
        let came = items.map { "\($0["status"].integer ?? 0) \($0["reason"].string ?? "")" }.joined(separator: ", ")
        throw HarnessError("waited for pushes, \(what); \(items.count) came: \(came)")
    }
}
