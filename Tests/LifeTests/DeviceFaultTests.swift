import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// Disks that fail for a while, with real processes.
@Suite("A disk that fails", .timeLimit(.minutes(10)))
struct DeviceFaultTests {
    /// One fault with its label.
    struct Fault: CustomTestStringConvertible {
        var testDescription: String
        var sync: Int32 = 0
        var write: Int32 = 0
        /// The label in log lines and metrics.
        var label: String
    }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(
        "failed events are rejected, nothing acknowledged is lost, and it recovers without traffic",
        arguments: [
            Fault(testDescription: "I/O error of a sync", sync: EIO, label: "unavailable"),
            Fault(testDescription: "I/O error of a write", write: EIO, label: "unavailable"),
            Fault(testDescription: "full disk", write: ENOSPC, label: "full"),
            Fault(testDescription: "read-only file system", write: EROFS, label: "unavailable"),
        ]
    )
    func passing(fault: Fault) async throws {
        let faults = try await FaultSwitch(in: directory)
        let fixture = try await GatewayFixture.start(in: directory, environment: faults.environment)
        #expect(try await fixture.post("before").status == 202)
        try faults.set(sync: fault.sync, write: fault.write)
        try await expectRejection(fixture, label: fault.label)
        try faults.set()
        try await expectRecovery(fixture)
    }

    @Test("a file size limit of the process is handled like a failing disk, and does not end the process")
    func fileSizeLimit() async throws {
        let fixture = try await GatewayFixture.start(in: directory)
        #expect(try await fixture.post("before").status == 202)
        try await limit(fixture, "0")
        try await expectRejection(fixture, label: "unavailable")
        try await limit(fixture, "unlimited")
        try await expectRecovery(fixture)
    }

    /// Checks the state during the fault: events and readiness get 503, liveness stays, log lines and metrics name the
    /// fault.
    private func expectRejection(_ fixture: GatewayFixture, label: String) async throws {
        let response = try await fixture.post("during")
        #expect(response.status == 503 && response.body["code"].string == "overloaded", "\(response)")
        #expect(response.body["retryable"] == .bool(true) && response.retryAfter != nil)
        #expect(try await fixture.readiness() == 503)
        #expect(try await fixture.gateway.admin.exchange("GET", ["livez"]).status == 200)
        let line = try await fixture.gateway.process.errorLine("the store failed; no events or changes are accepted")
        #expect(line.contains(#""\#(label)""#), "\(line)")
        let failures = try await fixture.metrics("switchboard_store_errors_total")
        #expect(failures.contains { $0.contains(#""\#(label)""#) && !$0.hasSuffix(" 0") }, "\(failures)")
    }

    /// Checks the state after the fault: ready automatically, the rejected event can be sent again, and a restart finds
    /// all acknowledged events.
    private func expectRecovery(_ fixture: GatewayFixture) async throws {
        try await fixture.wait(for: "readiness") { try await fixture.readiness() == 200 }
        _ = try await fixture.gateway.process.errorLine("the store works again")
        #expect(try await fixture.post("during").status == 202)
        #expect(try await fixture.post("after").status == 202)
        try await fixture.wait(for: "the deliveries") {
            try await fixture.deliveries().filter { $0["state"].string == "accepted" }.count == 3
        }
        fixture.gateway.process.signal(SIGKILL)
        _ = try await fixture.gateway.process.ended()
        let again = try await fixture.restarted(["LD_PRELOAD": ""])
        for id in ["before", "during", "after"] {
            #expect(try await again.post(id).body["duplicates"].integer == 1, "\(id) is there")
        }
        #expect(try await again.unread() == 3)
        let integrity = try ChildProcess(
            "/usr/bin/env",
            ["python3", "-c", Self.check, fixture.database]
        )
        #expect(try await integrity.ended().status == 0 && integrity.output == ["ok"], "\(integrity.errors)")
        #expect(try await again.gateway.process.stop().status == 0)
    }

    private static let check =
        "import sqlite3,sys; print(sqlite3.connect(sys.argv[1]).execute('PRAGMA integrity_check').fetchone()[0])"

    /// Sets the file size limit of the gateway from outside.
    private func limit(_ fixture: GatewayFixture, _ bytes: String) async throws {
        let program = try ChildProcess(
            "/usr/bin/env",
            ["prlimit", "--pid", "\(fixture.gateway.process.id)", "--fsize=\(bytes):"]
        )
        #expect(try await program.ended().status == 0, "\(program.errors)")
    }
}
