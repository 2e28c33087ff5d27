import Foundation
import ProcessHarness
import Testing

@testable import switchboard

extension SimulatorProcess {
    /// An iOS app that pushes through it.
    ///
    /// - Returns: The body of its `PUT`.
    /// - Throws: When the simulator's files are not as expected.
    func iOSAppBody() throws -> JSONValue { try JSONValue(parsing: Data(try iOSApp().utf8)) }

    /// An Android app that pushes through it.
    ///
    /// - Returns: The body of its `PUT`.
    /// - Throws: When the simulator's files are not as expected.
    func androidAppBody() throws -> JSONValue { try JSONValue(parsing: Data(try androidApp().utf8)) }

    /// Waits for pushes.
    ///
    /// - Parameter count: How many must have come since its start.
    /// - Returns: All of them.
    /// - Throws: When they do not come in time.
    func pushes(_ count: Int) async throws -> [JSONValue] {
        try await pushes("\(count)") { $0.count >= count }
    }

    /// Waits for pushes.
    ///
    /// - Parameters:
    ///   - what: Says in the error what was waited for.
    ///   - isEnough: Whether those that have come since its start, in their order, are what is waited for.
    /// - Returns: All that have come.
    /// - Throws: When they do not come in time.
    func pushes(_ what: String, until isEnough: ([JSONValue]) -> Bool) async throws -> [JSONValue] {
        let control = APIClient(server: control)
        var items: [JSONValue] = []
        // Longer than a lane stands still whose credential was refused once: 30 s.
        let deadline = ContinuousClock.now + .seconds(540)
        while ContinuousClock.now < deadline {
            let after = items.last?["number"].integer ?? 0
            let query = [("after", String(after)), ("waitSeconds", "3")]
            let answer = try await control.call("GET", ["pushes"], query: query)
            items += answer.body["pushes"].items
            if isEnough(items) { return items }
        }
        let came = items.map { "\($0["status"].integer ?? 0) \($0["reason"].string ?? "")" }.joined(separator: ", ")
        throw HarnessError("waited for pushes, \(what); \(items.count) came: \(came)")
    }
}
