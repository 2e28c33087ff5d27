import Foundation
import ProcessHarness
import Testing

@testable import switchboard

/// Every way in to a running gateway, tried by another implementation, and what must not be let in.
@Suite("Logins", .timeLimit(.minutes(3)))
struct LoginTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Interop/logins.py")

    /// Runs one phase and looks at each attempt.
    private static func attempts(_ phase: String, _ site: Site, _ state: String) async throws -> Int {
        let token = site.gateway.adminToken
        // Without joserfc this fails: Deploy/test.sh installs it.
        let python = try ChildProcess(
            "/usr/bin/env",
            ["python3", script.path(), site.gateway.url, site.simulator.control, state, phase],
            environment: ["SWITCHBOARD_ADMIN_TOKEN": token]
        )
        let exit = try await python.ended()
        #expect(exit.status == 0, "\(python.errors.suffix(5))")
        try #require(python.output.last == "done")
        let attempts = try python.output.dropLast().map { try JSONValue(parsing: Data($0.utf8)) }
        for attempt in attempts {
            #expect(attempt["found"] == attempt["wanted"], "\(attempt["name"].plain)")
        }
        return attempts.count
    }

    @Test("each way lets in whom it should, and nobody else, with the exact status, code and reason")
    func everyWay() async throws {
        let directory = try TemporaryDirectory()
        let site = try await Site.start(in: directory)
        let state = directory.path("state.json")
        let count = try await Self.attempts("first", site, state)
        print("logins that were tried: \(count)")
        #expect(count > 340)
        site.gateway.process.signal(SIGKILL)
        _ = try await site.gateway.process.ended()
        let again = try await site.restarted()
        #expect(try await Self.attempts("again", again, state) == 5)
    }
}
