import Foundation
import GatewayClient
import ProcessHarness
import Testing

@testable import Gateway

/// The documentation: its examples run, its tables are complete, its links are valid.
///
/// A code block of the language `sh` is an example. All of them run unchanged, in one shell, page after page in the
/// order of the landing page's topics. Commands that are only shown, because they build, stop or overwrite something or
/// need a program that the tests do not have, are in blocks of the language `console` or `text`.
@Suite("Pages", .timeLimit(.minutes(10)))
struct PagesTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().standardizedFileURL
    private static let catalogue = root.appending(path: "Sources/switchboard/Documentation.docc")
    /// The landing page, from which all pages are reachable.
    private static let landing = "Switchboard"

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    // MARK: Reading

    private static func text(of page: String) throws -> String {
        try String(contentsOf: catalogue.appending(path: page + ".md"), encoding: .utf8)
    }

    /// Returns the names of all pages.
    private static func pages() throws -> Set<String> {
        let files = try FileManager.default.contentsOfDirectory(atPath: catalogue.path(percentEncoded: false))
        return Set(files.filter { $0.hasSuffix(".md") }.map { String($0.dropLast(3)) })
    }

    /// Returns the pages that a text links to, in order.
    private static func pagesLinked(in text: String) -> [String] {
        text.matches(of: /doc:([A-Za-z0-9]+)/).map { String($0.output.1) }
    }

    /// Returns the examples of all pages in the order of execution.
    private static func examples() throws -> [String] {
        let topics = try #require(try text(of: landing).components(separatedBy: "\n## Topics\n").last)
        return try pagesLinked(in: topics).flatMap { page in
            try text(of: page).components(separatedBy: "\n```sh\n").dropFirst()
                .map { $0.components(separatedBy: "```")[0] }
        }
    }

    // MARK: Tests

    @Test("every example runs unchanged, one after the other")
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
        #expect(shell.output.contains { $0.contains("\"duplicates\":1") }, "the same event once more")
        #expect(shell.output.contains { $0.contains("\"unread\":1") }, "unread before the read")
        #expect(shell.output.contains { $0.contains("\"unread\":0") }, "unread after it")
        #expect(shell.output.contains { $0.contains("tapped") })
        #expect(shell.output.contains { $0.contains("\"nextAfter\"") }, "the outbound feed")
        #expect(shell.output.contains { $0.contains("\"auth_key\"") }, "the key of the adaptor of Copilot.cx")
        #expect(shell.output.contains { $0.contains("\"auth_token\"") }, "the token of the adaptor of CCAI")
        #expect(try await gateway.process.stop().status == 0)
        _ = try await simulator.process.stop()
    }

    @Test("the tables of Operating list every setting and every exit code, and nothing else")
    func tables() throws {
        let page = try Self.text(of: "Operating")
        for key in SettingKey.allCases {
            #expect(page.contains("| `\(key.environmentName)` | `\(key.rawValue)` |"), "\(key.rawValue) is missing")
        }
        #expect(page.components(separatedBy: "| `SWITCHBOARD_").count - 1 == SettingKey.allCases.count)
        for status in ProcessStatus.allCases { #expect(page.contains("| \(status.rawValue) | \(status.text) |")) }
        #expect(page.matches(of: /\n\| [0-9]+ \|/).count == ProcessStatus.allCases.count)
    }

    @Test("links to files and pages are valid")
    func links() throws {
        let pages = try Self.pages()
        let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        Self.expectFiles(linkedIn: readme, Self.root)
        for page in pages {
            let text = try Self.text(of: page)
            Self.expectFiles(linkedIn: text, Self.catalogue)
            for linked in Self.pagesLinked(in: text) { #expect(pages.contains(linked), "\(page) links to \(linked)") }
        }
    }

    private static func expectFiles(linkedIn text: String, _ folder: URL) {
        let links = text.matches(of: /\]\(([^)]+)\)/).map { String($0.output.1) }
        for link in links where !link.hasPrefix("http") && !link.hasPrefix("doc:") && !link.hasPrefix("#") {
            let file = link.components(separatedBy: "#")[0]
            let path = folder.appending(path: file).standardizedFileURL.path(percentEncoded: false)
            #expect(path.hasPrefix(root.path(percentEncoded: false)), "\(link) leaves the repository")
            #expect(FileManager.default.fileExists(atPath: path), "\(link) does not exist")
        }
    }

    @Test("every page is reachable from the landing page")
    func reachable() throws {
        var reached: Set<String> = [Self.landing]
        var waiting = [Self.landing]
        while let page = waiting.popLast() {
            for linked in Self.pagesLinked(in: try Self.text(of: page)) where reached.insert(linked).inserted {
                waiting.append(linked)
            }
        }
        let pages = try Self.pages()
        #expect(reached == pages)
    }
}
