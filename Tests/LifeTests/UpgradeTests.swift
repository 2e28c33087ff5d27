import Foundation
import GatewayClient
import ProcessHarness
import Testing

@Suite("A new version on data of an earlier one", .timeLimit(.minutes(10)))
struct UpgradeTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Puts the data of the first version in place, with its key.
    private func load() async throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let fixtures = tests.appending(path: "SQLiteStorageTests/Fixtures")
        let data = directory.path("data")
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: data)
        let key = try Data(contentsOf: fixtures.appending(path: "data-0001.master-key"))
        let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        for (name, content) in [("master-key", key), ("switchboard.sqlite", Data())] {
            #expect(FileManager.default.createFile(atPath: "\(data)/\(name)", contents: content, attributes: mode))
        }
        let python = try ChildProcess(
            "/usr/bin/env",
            [
                "python3", "-c",
                "import sqlite3,sys; sqlite3.connect(sys.argv[1]).executescript(open(sys.argv[2]).read())",
                data + "/switchboard.sqlite", fixtures.appending(path: "data-0001.sql").path,
            ]
        )
        try #require(try await python.ended().status == 0, "\(python.errors)")
    }

    @Test("a dry run lists the migrations, a start applies them, and the copy allows a downgrade")
    func upgrade() async throws {
        try await load()
        let data = directory.path("data")
        let copy = data + "/switchboard.sqlite.at-0001-create-tables"
        func run(_ arguments: String...) async throws -> [String] {
            let process = try ChildProcess("switchboard", arguments + ["--data-dir", data])
            #expect(try await process.ended().status == 0, "\(process.errors)")
            return process.output
        }
        let plan = try await run("migrate", "--dry-run")
        #expect(plan.contains { $0.hasPrefix("the data would be copied to") && $0.hasSuffix(copy) })
        #expect(plan.contains("applied  0001-create-tables") && plan.contains("pending  0002-count-by-label"))
        let items = try JSONValue(parsing: Data(try await run("migrate", "--dry-run", "--json").joined().utf8)).items
        #expect(items.map { $0["copy"].string }.prefix(2) == [nil, copy])
        #expect(!FileManager.default.fileExists(atPath: copy), "a dry run changes nothing")

        let gateway = try await GatewayProcess.start(in: directory)
        #expect(FileManager.default.fileExists(atPath: copy))
        #expect(try await gateway.process.errorLine("copied the data").contains(copy))
        let brands = try await gateway.admin.call("GET", ["v1", "brands"]).body["items"].items
        #expect(brands.map { $0["id"].string } == ["bank", "travel"])
        let deliveries = try await gateway.admin.call("GET", ["v1", "brands", "travel", "deliveries"]).body["items"]
            .items
        #expect(deliveries.count == 17)
        #expect(try await gateway.process.stop().status == 0)
        #expect(try await run("migrate", "--dry-run").allSatisfy { $0.hasPrefix("applied") })

        _ = try await run("restore", copy, "--force")
    }

    @Test("data of a newer version is refused with its own exit code, and the error names the copy")
    func newer() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        #expect(try await gateway.process.stop().status == 0)
        let data = gateway.dataDirectory
        func run(_ arguments: String...) async throws -> ChildProcess {
            let process = try ChildProcess("switchboard", arguments + ["--data-dir", data])
            _ = try await process.ended()
            return process
        }
        let plan = try await run("migrate", "--dry-run", "--json").output.joined()
        let last = try #require(try JSONValue(parsing: Data(plan.utf8)).items.last?["name"].string)
        let copy = "\(data)/switchboard.sqlite.at-\(last)"
        #expect(try await run("backup", copy).ended().status == 0)
        let future =
            "import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); "
            + "d.execute(\"INSERT INTO grdb_migrations VALUES ('9999-future')\"); d.commit()"
        let python = try ChildProcess("/usr/bin/env", ["python3", "-c", future, data + "/switchboard.sqlite"])
        #expect(try await python.ended().status == 0)
        let refused = try await run("serve", "--listen", "127.0.0.1:0")
        #expect(try await refused.ended().status == ProcessStatus.newerDatabase.rawValue)
        let errors = refused.errors.joined(separator: "\n")
        #expect(errors.contains("a newer version") && errors.contains("9999-future") && errors.contains(copy))
        #expect(try await run("restore", copy, "--force").ended().status == 0)
        let again = try await GatewayProcess.start(in: directory)
        #expect(try await again.process.stop().status == 0)
    }
}
