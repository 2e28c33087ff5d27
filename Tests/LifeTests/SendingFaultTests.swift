import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// Failing providers, with few pushes each; `switchboard-proof faults` sends more.
@Suite("Failing providers", .timeLimit(.minutes(10)))
struct SendingFaultTests {
    private static let pushes = 600

    @Test(
        "lose no push, and get none twice if HTTP/2 proves that it was not processed",
        arguments: [
            "goaway", "goaway-graceful", "refused-stream", "stream-limit", "late-windows", "distance",
            "node-goaway",
            "node-refused-stream",
        ]
    )
    func once(name: String) async throws {
        let row = try await run(name)
        #expect(row["lost"] == "0" && row["duplicated"] == "0", "\(row)")
        #expect(row["accepted"] == "\(Self.pushes)", "\(row)")
        // Checks that the fault happened.
        let sent = Int(row["sent"] ?? "") ?? 0
        let connections = Int(row["connections"] ?? "") ?? 0
        switch name {
        case "goaway", "refused-stream", "node-goaway", "node-refused-stream": #expect(sent > Self.pushes, "\(row)")
        case "goaway-graceful": #expect(connections > 2, "\(row)")
        default: break
        }
    }

    @Test(
        "lose no push, and get one twice only if its response was lost",
        arguments: ["reset-mid-body", "tls-cut", "drop", "silent-stream", "silent-peer", "slow-answers"]
    )
    func atLeastOnce(name: String) async throws {
        let row = try await run(name)
        #expect(row["lost"] == "0" && row["unexplained"] == "0", "\(row)")
        #expect(Int(row["doubts"] ?? "") ?? 0 > 0, "the fault did not happen: \(row)")
        // Each connection that is lost risks less: a push is not sent a hundred times.
        #expect(Int(row["sent"] ?? "") ?? .max <= 10 * Self.pushes, "\(row)")
    }

    @Test(
        "get nothing when they are not trusted, and the reason is clear",
        arguments: [
            ("other-host", "mismatch"), ("expired", "has expired"), ("self-signed", "self-signed"),
            ("http1", "does not speak HTTP/2"),
        ]
    )
    func refused(name: String, reason: String) async throws {
        let row = try await run(name)
        #expect(row["sent"] == "0" && row["accepted"] == "0", "\(row)")
        #expect(row["refusal"]?.contains(reason) == true, "\(row)")
    }

    private func run(_ name: String) async throws -> [String: String] {
        let proof = try ChildProcess(
            "switchboard-proof",
            ["faults", "--json", "--fault", name, "--pushes", "\(Self.pushes)"]
        )
        let exit = try await proof.ended()
        #expect(exit == .init(status: 0, isSignal: false), "\(proof.output) \(proof.errors)")
        let table = try JSONValue(parsing: Data(proof.output.joined().utf8))
        #expect(table["holds"] == .bool(true))
        let row = try #require(table["faults"].items.first)
        let names = ["sent", "accepted", "lost", "duplicated", "unexplained", "doubts", "connections", "refusal"]
        return Dictionary(uniqueKeysWithValues: names.map { ($0, row[$0].plain) })
    }
}
