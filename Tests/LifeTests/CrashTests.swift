import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// The crash harness at its small size; `switchboard-proof crash` runs it in full.
@Suite("Ends under load", .timeLimit(.minutes(10)))
struct CrashTests {
    @Test("nothing is lost", arguments: [("kill", 5), ("term", 2)])
    func crash(signal: String, count: Int) async throws {
        let proof = try ChildProcess(
            "switchboard-proof",
            ["crash", "--json", "--signal", signal, "--kills", "\(count)"]
        )
        let exit = try await proof.ended()
        #expect(exit == .init(status: 0, isSignal: false), "\(proof.output) \(proof.errors)")
        let verdict = try JSONValue(parsing: Data(proof.output.joined().utf8))
        let lines = Dictionary(
            uniqueKeysWithValues: verdict["lines"].items.map { ($0["name"].plain, $0["value"].plain) }
        )
        #expect(verdict["holds"] == .bool(true))
        #expect(lines["lost"] == "0" && lines["unread errors"] == "0")
        #expect(Int(lines["delivered"] ?? "") ?? 0 > 0, "\(lines)")
        #expect(signal == "kill" || lines["duplicated"] == "0")
    }
}
