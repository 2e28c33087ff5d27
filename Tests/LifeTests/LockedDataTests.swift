import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// Another program that locks the database, as a backup script might.
@Suite("Data locked by another process", .timeLimit(.minutes(10)))
struct LockedDataTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("events are rejected while it lasts and accepted when it ends", arguments: ["IMMEDIATE", "EXCLUSIVE"])
    func locked(kind: String) async throws {
        let fixture = try await GatewayFixture.start(in: directory)
        #expect(try await fixture.post("before").status == 202)
        // Holds the lock until it is ended.
        let holder = try ChildProcess(
            "/usr/bin/env",
            [
                "python3", "-c",
                "import signal,sqlite3,sys; d=sqlite3.connect(sys.argv[1],isolation_level=None); "
                    + "d.execute('BEGIN '+sys.argv[2]); print('locked',flush=True); signal.pause()",
                fixture.database, kind,
            ]
        )
        _ = try await holder.line("locked")
        let response = try await fixture.post("during")
        #expect(response.status == 503 && response.retryAfter != nil, "\(response)")
        #expect(try await fixture.readiness() == 503)
        #expect(try await fixture.gateway.process.errorLine("the store failed").contains(#""locked""#))
        holder.signal(SIGKILL)
        _ = try await holder.ended()
        try await fixture.wait(for: "readiness") { try await fixture.readiness() == 200 }
        #expect(try await fixture.post("during").status == 202)
        try await fixture.wait(for: "the deliveries") {
            try await fixture.deliveries().filter { $0["state"].string == "accepted" }.count == 2
        }
        #expect(try await fixture.unread() == 2)
        #expect(try await fixture.gateway.process.stop().status == 0)
    }
}
