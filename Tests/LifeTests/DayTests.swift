import Foundation
import GatewayClient
import ProcessHarness
import Testing

@Suite("A consumer's day", .timeLimit(.minutes(10)))
struct DayTests {
    @Test(
        "login, window, push, tap, read elsewhere, logouts and the next user, with a crash in the middle of each step",
        arguments: ["never", "0", "2", "10", "40"]
    )
    func day(_ milliseconds: String) async throws {
        let directory = try TemporaryDirectory()
        let simulator = try await SimulatorProcess.start(in: directory)
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Interop/day.py").path()
        let python = try ChildProcess(
            "/usr/bin/env",
            [
                "python3", script, ChildProcess.binaries.appending(path: "switchboard").path(), simulator.control,
                simulator.authority, directory.path("data"), milliseconds,
            ],
            environment: ["SWITCHBOARD_APP": try simulator.iOSApp()]
        )
        let exit = try await python.ended()
        #expect(exit.status == 0, "\(python.errors.suffix(5))")
        try #require(python.output.last == "done")
        let tried = try python.output.dropLast().map { try JSONValue(parsing: Data($0.utf8)) }
        #expect(tried.count == (milliseconds == "never" ? 31 : 30))
        for attempt in tried { #expect(attempt["found"] == attempt["wanted"], "\(attempt["name"].plain)") }
    }
}
