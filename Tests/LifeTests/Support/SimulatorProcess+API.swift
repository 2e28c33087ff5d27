import Foundation
import GatewayClient
import ProcessHarness
import Testing

extension SimulatorProcess {
    /// Returns the body of the `PUT` of an iOS app that uses the simulator.
    func iOSAppBody() throws -> JSONValue { try JSONValue(parsing: Data(try iOSApp().utf8)) }

    /// Returns the body of the `PUT` of an Android app that uses the simulator.
    func androidAppBody() throws -> JSONValue { try JSONValue(parsing: Data(try androidApp().utf8)) }

    /// Waits for a number of pushes since its start, and returns all.
    func pushes(_ count: Int) async throws -> [JSONValue] {
        try await pushes("\(count)") { $0.count >= count }
    }

    /// Waits until the pushes since its start, in order, fulfil a condition, described by `what`, and returns all.
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
