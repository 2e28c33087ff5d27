import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// Every login method of a running gateway, used by another implementation, and attempts that must be rejected.
@Suite("Logins", .timeLimit(.minutes(10)))
struct LoginTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Interop/logins.py")

    /// Runs one phase and checks each attempt.
    private static func attempts(_ phase: String, _ fixture: GatewayFixture, _ state: String) async throws -> Int {
        let token = fixture.gateway.adminToken
        // Without joserfc this fails: Deploy/test.sh installs it.
        let python = try ChildProcess(
            "/usr/bin/env",
            ["python3", script.path(), fixture.gateway.url, fixture.simulator.control, state, phase],
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

    @Test("each login method accepts only valid attempts, with the exact status, code and reason")
    func everyWay() async throws {
        let directory = try TemporaryDirectory()
        // All log lines of the gateway.
        let fixture = try await GatewayFixture.start(in: directory, environment: ["SWITCHBOARD_LOG_LEVEL": "trace"])
        let state = directory.path("state.json")
        let count = try await Self.attempts("first", fixture, state)
        print("logins that were tried: \(count)")
        #expect(count > 340)
        try Self.expectNoSecrets(in: fixture, state)
        fixture.gateway.process.signal(SIGKILL)
        _ = try await fixture.gateway.process.ended()
        let again = try await fixture.restarted()
        #expect(try await Self.attempts("again", again, state) == 7)
        try Self.expectNoSecrets(in: again, state)
    }

    /// Searches the gateway's output for every token, code, key and secret that was sent.
    private static func expectNoSecrets(in fixture: GatewayFixture, _ state: String) throws {
        guard case .array(let secrets) = try JSONValue(parsing: Data(contentsOf: URL(filePath: state + ".secrets")))
        else { throw HarnessError("no list of secrets") }
        try #require(secrets.count > 2)
        let printed = (fixture.gateway.process.output + fixture.gateway.process.errors).joined(separator: "\n")
        // There are log lines about them.
        #expect(printed.contains("u-1") || printed.contains("/v1/brands"))
        for secret in secrets {
            let isThere = printed.contains(secret.plain)
            #expect(!isThere, "a secret of \(secret.plain.utf8.count) bytes is in a log line")
        }
    }
}
