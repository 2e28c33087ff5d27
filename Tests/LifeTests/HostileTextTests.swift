import Foundation
import GatewayClient
import ProcessHarness
import Testing

@Suite("Text that is expensive to normalize", .timeLimit(.minutes(10)))
struct HostileTextTests {
    @Test("has a cost linear in its length, everywhere in the API")
    func everyPlace() async throws {
        let directory = try TemporaryDirectory()
        let gateway = try ChildProcess(
            ChildProcess.binaries.appending(path: "switchboard").path(),
            ["serve", "--listen", "127.0.0.1:0", "--data-dir", directory.path("data")]
        )
        let address = try await gateway.line("listening on ")
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Interop/hostile_text.py").path()
        // The distribution's own interpreter: its packages are installed by the distribution's names.
        let python = try ChildProcess(
            "/usr/bin/python3",
            [script, address, String(gateway.id), directory.path("data/admin-token"), "65536"]
        )
        let exit = try await python.ended()
        try #require(exit.status == 0, "\(python.errors.suffix(5))")
        let summary = try #require(python.output.last)
        let count = summary.split(separator: " ").first.flatMap { Int($0) } ?? 0
        #expect(count > 800, "only \(count) places were tried")
        #expect(summary.hasSuffix(" 0 too slow"), "\(python.output.joined(separator: "\n"))")
        for line in python.output { print(line) }
        #expect(try await gateway.stop() == .init(status: 0, isSignal: false))
    }
}
