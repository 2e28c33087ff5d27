import ArgumentParser
import Foundation
import Testing

@testable import switchboard

@Suite("Commands on the pages")
struct PageCommandTests {
    private static let pages = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/switchboard/Documentation.docc")

    /// Returns the commands in the blocks of the language `console` that are plain words, without those of a shell.
    private static func commands(of page: String) throws -> [String] {
        let text = try String(contentsOf: pages.appending(path: page + ".md"), encoding: .utf8)
        var isInside = false
        var commands: [String] = []
        for line in text.components(separatedBy: "\n") {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("```") { isInside = line == "```console" }
            let command = line.components(separatedBy: "  #")[0].trimmingCharacters(in: .whitespaces)
            guard isInside, !command.contains(where: { "\"'$|>\\".contains($0) }) else { continue }
            for start in ["switchboard ", "runuser -u switchboard -- switchboard "] where command.hasPrefix(start) {
                commands.append(String(command.dropFirst(start.count)))
            }
        }
        return commands
    }

    @Test(
        "every command on the pages for operators is one of this version, with its arguments",
        arguments: [
            ("Operating", 5), ("Deliveries", 13), ("Installing", 4), ("WhenItAllGoesWrong", 15), ("Monitoring", 4),
        ]
    )
    func parsed(page: String, atLeast: Int) throws {
        let commands = try Self.commands(of: page)
        #expect(commands.count >= atLeast)
        for command in commands {
            #expect(throws: Never.self, "switchboard \(command)") {
                _ = try Switchboard.parseAsRoot(command.split(separator: " ").map(String.init))
            }
        }
    }
}
