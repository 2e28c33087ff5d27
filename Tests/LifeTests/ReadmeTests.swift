import Foundation
import ProcessHarness
import Testing

@testable import switchboard

/// The README's examples, run as they stand there.
@Suite("README", .timeLimit(.minutes(10)))
struct ReadmeTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static func readme() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    }

    /// The shell blocks of the section "The API by example", in order.
    private static func examples() throws -> [String] {
        let section = try #require(try readme().components(separatedBy: "## The API by example").last)
            .components(separatedBy: "\n## ")[0]
        return section.components(separatedBy: "```sh\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    }

    @Test("every example of the API runs as it stands, one after the other")
    func examples() async throws {
        let simulator = try await SimulatorProcess.start(in: directory)
        let gateway = try await GatewayProcess.start(in: directory, trustRoots: simulator.authority)
        let team = try simulator.identity()
        let examples = try Self.examples()
        try #require(examples.count > 10)
        let script = "set -euo pipefail\n" + examples.joined(separator: "\necho; echo ---\n") + "\necho; echo done\n"
        let token = String((gateway.admin.authorization ?? "").dropFirst("Bearer ".count))
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let shell = try ChildProcess(
            "/usr/bin/env",
            ["bash", "-c", script],
            environment: [
                "SERVER": gateway.url, "ADMIN": token, "APNS": simulator.apns, "FCM": simulator.fcm,
                "KEYS": simulator.keys, "APNS_TEAM": team.teamID, "APNS_KEY": team.keyID,
                "APNS_TOPIC": team.topic, "APNS_DEVICE": String(repeating: "7c", count: 32),
                "PATH": ChildProcess.binaries.path() + ":" + path,
            ],
            directory: directory.path
        )
        let exit = try await shell.ended()
        #expect(exit.status == 0 && shell.output.last == "done", "\(shell.output.suffix(3)) \(shell.errors)")
        let push = try #require(try await simulator.pushes(1).first)
        #expect(push["body"]["aps"]["badge"].integer == 1 && push["result"].string == "accepted")
        #expect(shell.output.contains { $0.contains("\"unread\":1") }, "unread before the read")
        #expect(shell.output.contains { $0.contains("\"unread\":0") }, "unread after it")
        #expect(shell.output.contains { $0.contains("tapped") })
        #expect(try await gateway.process.stop().status == 0)
        _ = try await simulator.process.stop()
    }

    @Test("its tables name every setting and every exit code, and nothing else")
    func tables() throws {
        let readme = try Self.readme()
        for key in SettingKey.allCases {
            #expect(readme.contains("| `\(key.environmentName)` | `\(key.rawValue)` |"), "\(key.rawValue) is missing")
        }
        #expect(readme.components(separatedBy: "| `SWITCHBOARD_").count - 1 == SettingKey.allCases.count)
        for status in ProcessStatus.allCases { #expect(readme.contains("| \(status.rawValue) | \(status.text) |")) }
    }

    @Test("files that it links to exist, and none of them lies outside of the repository")
    func links() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        for link in try Self.readme().matches(of: /\]\(([^)]+)\)/).map({ String($0.output.1) })
        where !link.hasPrefix("http") {
            #expect(!link.contains("..") && FileManager.default.fileExists(atPath: root.appending(path: link).path()))
        }
    }
}
