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
        let control = APIClient(server: control)
        var items: [JSONValue] = []
        // Longer than a lane stands still whose credential was refused once: 30 s.
        let deadline = ContinuousClock.now + .seconds(90)
        while ContinuousClock.now < deadline {
            let after = items.last?["number"].integer ?? 0
            let query = [("after", String(after)), ("waitSeconds", "3")]
            let answer = try await control.call("GET", ["pushes"], query: query)
            items += answer.body["pushes"].items
            if items.count >= count { return items }
        }
        throw HarnessError("\(items.count) of \(count) pushes came")
    }
}
