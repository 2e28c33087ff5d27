import Foundation
import PushSimulator
import Testing

@Suite(.timeLimit(.minutes(10))) struct ProgramTests {
    /// The program, in the directory of the tests.
    private static var path: String {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(
            "push-simulator"
        )
        .path
    }

    @Test("it prints its addresses, serves, and exits gracefully on a signal", arguments: [SIGTERM, SIGINT])
    func life(signal: Int32) async throws {
        let program = try ChildProgram(
            Self.path,
            ["--apns", "127.0.0.1:0", "--fcm", "127.0.0.1:0", "--control", "127.0.0.1:0"]
        )
        let lines = await program.lines(through: "ready")
        #expect(lines.count == 5)
        let beginnings = [
            "apns listening on 127.0.0.1:", "fcm listening on 127.0.0.1:", "control listening on http://127.0.0.1:",
            "certificates in /",
        ]
        var values: [String] = []
        for (line, beginning) in zip(lines, beginnings) {
            #expect(line.hasPrefix(beginning))
            values.append(line.split(separator: " ").last.map { String($0) } ?? "")
        }
        try #require(values.count == 4)
        let output = try await ChildProgram.node(NodeScripts.control, [values[3], values[0], values[1], values[2]])
        #expect(output["stats"]?["accepted"] == .integer(1))
        program.signal(signal)
        #expect(await program.end() == 0)
        #expect(program.errorText.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: values[3]))
    }

    @Test("a port in use causes an exit with a clear error", arguments: ["--apns", "--fcm", "--control"])
    func portInUse(option: String) async throws {
        let running = try await PushSimulator.start()
        var addresses = ["--apns": "127.0.0.1:0", "--fcm": "127.0.0.1:0", "--control": "127.0.0.1:0"]
        addresses[option] = "\(running.apns)"
        let program = try ChildProgram(Self.path, addresses.flatMap { [$0.key, $0.value] })
        let status = await program.end()
        await running.stop()
        #expect(status == 1)
        #expect(program.errorText == "push-simulator: cannot listen on \(running.apns): Address already in use\n")
    }

    @Test("an invalid address is rejected before anything starts")
    func wrongAddress() async throws {
        let program = try ChildProgram(Self.path, ["--apns", "nowhere"])
        #expect(await program.end() == 64)
        #expect(program.errorText.contains("--apns"))
    }
}
