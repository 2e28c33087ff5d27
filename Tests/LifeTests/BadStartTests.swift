import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// Starts that must fail with their own exit code, and leave the data unchanged.
@Suite("Bad starts", .timeLimit(.minutes(10)))
struct BadStartTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Starts `serve` on the test's data directory and waits for its end.
    private func failedStart(
        _ arguments: [String] = [],
        environment: [String: String] = [:]
    ) async throws -> (status: ProcessStatus?, text: String) {
        let process = try ChildProcess(
            "switchboard",
            ["serve", "--listen", "127.0.0.1:0", "--data-dir", directory.path("data")] + arguments,
            environment: environment
        )
        let exit = try await process.ended()
        #expect(!exit.isSignal)
        #expect(process.output.isEmpty, "nothing but the ready line is ever on standard output")
        return (ProcessStatus(rawValue: exit.status), process.errors.joined(separator: "\n"))
    }

    /// Runs Python on the database, as another program would.
    private func onDatabase(_ statement: String) async throws {
        let python = try ChildProcess(
            "/usr/bin/env",
            [
                "python3", "-c",
                "import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); d.execute(sys.argv[2]); d.commit()",
                directory.path("data/switchboard.sqlite"), statement,
            ]
        )
        let exit = try await python.ended()
        try #require(exit.status == 0, "\(python.errors)")
    }

    /// Creates data with an encrypted credential, and stops.
    private func makeData() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        _ = try await gateway.admin.call("POST", ["v1", "brands"], body: ["id": "acme", "name": "Acme"])
        _ = try await gateway.admin.call(
            "POST",
            ["v1", "brands", "acme", "credentials"],
            body: ["kind": "sdkKey", "name": "app-key"]
        )
        #expect(try await gateway.process.stop() == .init(status: 0, isSignal: false))
    }

    /// Checks that the data is still usable.
    private func expectUndamaged() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        let response = try await gateway.admin.call("GET", ["v1", "brands", "acme", "credentials"])
        #expect(response.body["items"].items.map { $0["name"].plain } == ["app-key"])
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test("a second process on the same data exits with 3, and the first keeps running")
    func locked() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        let second = try await failedStart()
        #expect(second.status == .data && second.text.contains("in use by another process"))
        #expect(try await gateway.admin.call("GET", ["readyz"]).status == 200)
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test("a wrong master key exits with 4, and the right one still decrypts the data")
    func wrongKey() async throws {
        try await makeData()
        let path = directory.path("data/master-key")
        let right = try String(contentsOfFile: path, encoding: .utf8)
        try Data(repeating: 7, count: 32).base64EncodedString().write(toFile: path, atomically: true, encoding: .utf8)
        let wrong = try await failedStart()
        #expect(wrong.status == .masterKey && wrong.text.contains("master key"))
        try "not a key".write(toFile: path, atomically: true, encoding: .utf8)
        let malformed = try await failedStart()
        #expect(
            malformed.status == .masterKey && malformed.text.contains(path) && !malformed.text.contains("not a key")
        )
        try FileManager.default.removeItem(atPath: path)
        let missing = try await failedStart()
        #expect(missing.status == .masterKey && missing.text.contains("missing"))
        #expect(!FileManager.default.fileExists(atPath: path), "no new key for old data")
        try right.write(toFile: path, atomically: true, encoding: .utf8)
        try await expectUndamaged()
    }

    @Test("a newer database exits with 5 and is not changed")
    func newerDatabase() async throws {
        try await makeData()
        try await onDatabase("INSERT INTO grdb_migrations VALUES ('M9999Future')")
        let newer = try await failedStart()
        #expect(newer.status == .newerDatabase && newer.text.contains("M9999Future"))
        let migrate = try ChildProcess("switchboard", ["migrate", "--data-dir", directory.path("data")])
        #expect(try await migrate.ended().status == ProcessStatus.newerDatabase.rawValue)
        try await onDatabase("DELETE FROM grdb_migrations WHERE identifier = 'M9999Future'")
        try await expectUndamaged()
    }

    @Test("a file that is not a database exits with 3 and is not changed")
    func damaged() async throws {
        try await makeData()
        let path = directory.path("data/switchboard.sqlite")
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        let text = String(repeating: "this is no database. ", count: 500)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let result = try await failedStart()
        #expect(result.status == .data && result.text.contains(path))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    @Test("an unusable data directory exits with 3", arguments: ["/proc/none/data", "/dev/null"])
    func noDirectory(path: String) async throws {
        let result = try await failedStart(["--data-dir", path])
        #expect(result.status == .data && result.text.contains(path))
    }

    @Test("an address in use exits with 6")
    func takenAddress() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        let taken = String(gateway.url.dropFirst("http://".count))
        let result = try await failedStart(["--listen", taken, "--data-dir", directory.path("other")])
        #expect(result.status == .listen && result.text.contains(taken))
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test(
        "wrong settings exit with 2 before anything is created",
        arguments: [
            (["--listen", "nowhere"], [:], "server.listen"),
            ([], ["SWITCHBOARD_LOG_LEVEL": "loud"], "SWITCHBOARD_LOG_LEVEL"),
            ([], ["SWITCHBOARD_DELIVERY_RETRY_DELAYS_SECONDS": "5,0"], "delivery.retryDelaysSeconds"),
            (["--config", "/nowhere.yaml"], [:], "/nowhere.yaml"),
            (["--listen", "0.0.0.0:0"], [:], "server.insecure"),
            (["--listen", "[::]:0"], ["SWITCHBOARD_SERVER_INSECURE": "false"], "server.listen"),
            ([], ["SWITCHBOARD_SERVER_TLS_KEY": "/nowhere.key"], "server.tls.certificate"),
            ([], ["SWITCHBOARD_SERVER_TLS_CLIENT_CA": "/nowhere.pem"], "server.tls.clientCa"),
            (
                [],
                ["SWITCHBOARD_SERVER_TLS_CERTIFICATE": "/nowhere.pem", "SWITCHBOARD_SERVER_TLS_KEY": "/nowhere.key"],
                "server.tls.certificate: /nowhere.pem cannot be read"
            ),
            (["--bogus"], [:], "--bogus"),
        ] as [([String], [String: String], String)]
    )
    func wrongSettings(arguments: [String], environment: [String: String], named: String) async throws {
        let result = try await failedStart(arguments, environment: environment)
        #expect(result.status == .usage && result.text.contains(named))
        #expect(!FileManager.default.fileExists(atPath: directory.path("data")))
    }

    @Test("trust roots that cannot be read exit with 2")
    func trustRoots() async throws {
        let missing = directory.path("no.pem")
        let result = try await failedStart(environment: ["SWITCHBOARD_PROVIDER_TRUST_ROOTS": missing])
        #expect(result.status == .usage && result.text.contains(missing))
    }
}
