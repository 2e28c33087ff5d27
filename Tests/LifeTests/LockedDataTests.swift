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
        let site = try await Site.start(in: directory)
        #expect(try await site.post("before").status == 202)
        // Holds the lock until it is ended.
        let holder = try ChildProcess(
            "/usr/bin/env",
            [
                "python3", "-c",
                "import signal,sqlite3,sys; d=sqlite3.connect(sys.argv[1],isolation_level=None); "
                    + "d.execute('BEGIN '+sys.argv[2]); print('locked',flush=True); signal.pause()",
                site.database, kind,
            ]
        )
        _ = try await holder.line("locked")
        let answer = try await site.post("during")
        #expect(answer.status == 503 && answer.retryAfter != nil, "\(answer)")
        #expect(try await site.readiness() == 503)
        #expect(try await site.gateway.process.errorLine("the store failed").contains(#""locked""#))
        holder.signal(SIGKILL)
        _ = try await holder.ended()
        try await site.wait(for: "readiness") { try await site.readiness() == 200 }
        #expect(try await site.post("during").status == 202)
        try await site.wait(for: "the deliveries") {
            try await site.deliveries().filter { $0["state"].string == "accepted" }.count == 2
        }
        #expect(try await site.unread() == 2)
        #expect(try await site.gateway.process.stop().status == 0)
    }
}
