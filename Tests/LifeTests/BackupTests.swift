import Foundation
import GatewayClient
import ProcessHarness
import Testing

@Suite("Backup and restore of a gateway", .timeLimit(.minutes(10)))
struct BackupTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func run(
        _ arguments: [String]
    ) async throws -> (status: ProcessStatus?, output: [String], errors: String) {
        let process = try ChildProcess("switchboard", arguments)
        let exit = try await process.ended()
        #expect(!exit.isSignal)
        return (ProcessStatus(rawValue: exit.status), process.output, process.errors.joined(separator: "\n"))
    }

    /// Posts events one after the other until the task is cancelled or one is rejected.
    private func postUntilCancelled(_ fixture: GatewayFixture, _ acknowledged: Acknowledged) -> Task<Void, Never> {
        Task {
            var number = 0
            while !Task.isCancelled, let response = try? await fixture.post("load-\(number)"), response.status == 202 {
                await acknowledged.add("load-\(number)")
                number += 1
            }
        }
    }

    private actor Acknowledged {
        var ids: [String] = []
        func add(_ id: String) { ids.append(id) }
    }

    @Test("a backup under load holds every earlier event; restored elsewhere, its messages are counted and delivered")
    func underLoad() async throws {
        let settings = ["SWITCHBOARD_DELIVERY_RETRY_DELAYS_SECONDS": "1"]
        let fixture = try await GatewayFixture.start(in: directory, environment: settings)
        #expect(try await fixture.post("first").status == 202)
        #expect(try await fixture.simulator.pushes(1).count == 1)
        // From now on no provider accepts pushes.
        let port = try #require(fixture.simulator.apns.split(separator: ":").last.flatMap { Int($0) })
        #expect(try await fixture.simulator.process.stop().status == 0)
        let acknowledged = Acknowledged()
        let load = postUntilCancelled(fixture, acknowledged)
        try await fixture.wait(for: "events under way") { await acknowledged.ids.count >= 50 }
        let before = await acknowledged.ids + ["first"]

        let file = directory.path("backup.sqlite")
        let made = try await run(["backup", file, "--data-dir", fixture.gateway.dataDirectory, "--json"])
        #expect(made.status == .ok, "\(made.errors)")
        #expect(made.errors.contains("master-key"))
        let report = try JSONValue(parsing: Data(try #require(made.output.first).utf8))
        let pending = try #require(report["pendingDeliveries"].integer)
        #expect(pending >= 50)
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect((attributes[.size] as? NSNumber)?.int64Value == report["bytes"].integer)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        // More events follow; then the host is lost.
        let count = await acknowledged.ids.count
        try await fixture.wait(for: "later events") { await acknowledged.ids.count > count }
        fixture.gateway.process.signal(SIGKILL)
        try await fixture.gateway.process.ended()
        load.cancel()
        await load.value

        let elsewhere = try TemporaryDirectory()
        let data = elsewhere.path("data")
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
        try FileManager.default.copyItem(
            atPath: fixture.gateway.dataDirectory + "/master-key",
            toPath: data + "/master-key"
        )
        let restored = try await run(["restore", file, "--data-dir", data])
        #expect(restored.status == .ok, "\(restored.errors)")
        let simulator = try await SimulatorProcess.start(in: directory, apnsPort: port)
        let gateway = try await GatewayProcess.start(
            in: elsewhere,
            trustRoots: simulator.authority,
            environment: settings
        )
        let events: [JSONValue] = before.map { id in
            [
                "id": .string(id), "type": "agent.message", "consumer": "u-1", "conversation": "c-9",
                "text": .string("text of \(id)"),
            ]
        }
        let again = try await gateway.admin.call("POST", fixture.path("events"), body: .array(events))
        #expect(again.body["accepted"].integer == 0, "an event from before the backup is not in it")
        #expect(again.body["duplicates"].integer == Int64(before.count))

        let pushes = try await simulator.pushes(Int(pending))
        #expect(pushes.allSatisfy { $0["result"].string == "accepted" })
        let phone = APIClient(server: gateway.url, bearer: try await gateway.session("u-1", device: "phone"))
        var messages: [JSONValue] = []
        var cursor: String?
        repeat {
            let page = try await phone.call(
                "GET",
                fixture.path("messages"),
                query: [("conversation", "c-9"), ("limit", "500"), ("cursor", cursor)]
            )
            messages += page.body["items"].items
            cursor = page.body["nextCursor"].string
        } while cursor != nil
        let texts = Set(messages.map { $0["text"].plain })
        #expect(texts.isSuperset(of: before.map { "text of \($0)" }))
        let unread = try await phone.call("GET", fixture.path("unread")).body["unread"].integer
        #expect(unread == Int64(messages.count), "each message is unread once")
        // Only the waiting ones: the first one had been delivered.
        #expect(Int64(messages.count) == pending + 1)
        #expect(try await gateway.process.stop().status == 0)
        _ = try await simulator.process.stop()
    }

    @Test("a file that cannot be restored is rejected with its own exit code, and the data stays unchanged")
    func rejections() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        _ = try await gateway.admin.call("POST", ["v1", "brands"], body: ["id": "acme", "name": "Acme"])
        _ = try await gateway.admin.call(
            "POST",
            ["v1", "brands", "acme", "credentials"],
            body: ["kind": "sdkKey", "name": "app-key"]
        )
        let (data, file) = (gateway.dataDirectory, directory.path("backup.sqlite"))
        #expect(try await run(["backup", file, "--data-dir", data]).status == .ok)
        let twice = try await run(["backup", file, "--data-dir", data])
        #expect(twice.status == .usage && twice.errors.contains(file) && twice.errors.contains("--force"))
        #expect(try await run(["backup", file, "--data-dir", data, "--force"]).status == .ok)

        let running = try await run(["restore", file, "--data-dir", data, "--force"])
        #expect(running.status == .data && running.errors.contains("another switchboard"), "\(running.errors)")
        #expect(try await gateway.process.stop().status == 0)

        let there = try await run(["restore", file, "--data-dir", data])
        #expect(there.status == .usage && there.errors.contains("--force"), "\(there.errors)")
        let missing = try await run(["restore", directory.path("none"), "--data-dir", data, "--force"])
        #expect(missing.status == .data && missing.errors.contains(directory.path("none")))

        let whole = try Data(contentsOf: URL(filePath: file))
        let damaged = directory.path("damaged")
        try whole.prefix(whole.count / 2).write(to: URL(filePath: damaged))
        let half = try await run(["restore", damaged, "--data-dir", data, "--force"])
        #expect(half.status == .data && half.errors.contains(damaged) && half.errors.contains("damaged"))

        let newer = directory.path("newer")
        try whole.write(to: URL(filePath: newer))
        let future =
            "import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); "
            + "d.execute(\"INSERT INTO grdb_migrations VALUES ('9999-future')\"); d.commit()"
        #expect(try await ChildProcess("/usr/bin/env", ["python3", "-c", future, newer]).ended().status == 0)
        let refused = try await run(["restore", newer, "--data-dir", data, "--force"])
        #expect(refused.status == .newerDatabase && refused.errors.contains("9999-future"), "\(refused.errors)")

        // After all that the data is unchanged, and can still be replaced.
        let names = try FileManager.default.contentsOfDirectory(atPath: data)
        #expect(!names.contains { $0.contains("restor") }, "\(names)")
        let good = try await run(["restore", file, "--data-dir", data, "--force", "--json"])
        #expect(good.status == .ok, "\(good.errors)")
        let kept = try JSONValue(parsing: Data(try #require(good.output.first).utf8))["keptAside"].string
        #expect(FileManager.default.fileExists(atPath: try #require(kept)))
        let again = try await GatewayProcess.start(in: directory)
        let credentials = try await again.admin.call("GET", ["v1", "brands", "acme", "credentials"])
        #expect(credentials.body["items"].items.map { $0["name"].plain } == ["app-key"])
        #expect(try await again.process.stop().status == 0)
    }

    @Test(
        "a restore reports a missing or wrong master key; an interrupted restore prevents gateways from starting"
    )
    func keysAndHalves() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        _ = try await gateway.admin.call("POST", ["v1", "brands"], body: ["id": "acme", "name": "Acme"])
        _ = try await gateway.admin.call(
            "POST",
            ["v1", "brands", "acme", "credentials"],
            body: ["kind": "sdkKey", "name": "app-key"]
        )
        let file = directory.path("backup.sqlite")
        #expect(try await run(["backup", file, "--data-dir", gateway.dataDirectory]).status == .ok)
        #expect(try await gateway.process.stop().status == 0)

        let data = directory.path("other")
        let without = try await run(["restore", file, "--data-dir", data])
        #expect(without.status == .ok && without.errors.contains("no master key"), "\(without.errors)")
        try Data(repeating: 7, count: 32).base64EncodedString()
            .write(toFile: data + "/master-key", atomically: true, encoding: .utf8)
        let wrong = try await run(["restore", file, "--data-dir", data, "--force"])
        #expect(wrong.status == .masterKey, "\(wrong.errors)")

        let unfinished = gateway.dataDirectory + "/switchboard.sqlite.restoring"
        try FileManager.default.copyItem(atPath: file, toPath: unfinished)
        let start = try await run(["serve", "--listen", "127.0.0.1:0", "--data-dir", gateway.dataDirectory])
        #expect(start.status == .data && start.errors.contains("restore"), "\(start.errors)")
        #expect(try await run(["restore", file, "--data-dir", gateway.dataDirectory, "--force"]).status == .ok)
        let again = try await GatewayProcess.start(in: directory)
        #expect(try await again.process.stop().status == 0)
    }

    @Test("backups by time replace the oldest one, and verify counts what is in the newest")
    func byTime() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        _ = try await gateway.admin.call("POST", ["v1", "brands"], body: ["id": "acme", "name": "Acme"])
        let (data, folder) = (gateway.dataDirectory, directory.path("backups"))
        let missing = try await run(["backup", "--to", folder, "--data-dir", data])
        #expect(missing.status == .data && missing.errors.contains(folder))
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let none = try await run(["verify", folder])
        #expect(none.status == .data && none.errors.contains("no backup"), "\(none.errors)")
        var files: [String] = []
        for _ in 0..<3 {
            let made = try await run(["backup", "--to", folder, "--keep", "2", "--data-dir", data, "--json"])
            #expect(made.status == .ok, "\(made.errors)")
            let report = try JSONValue(parsing: Data(try #require(made.output.first).utf8))
            #expect(report["removed"].items.map(\.plain) == (files.count == 2 ? [files[0]] : []))
            files.append(report["file"].plain)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".sqlite") }
        #expect(Set(names.map { "\(folder)/\($0)" }) == Set(files.dropFirst()))

        let newest = try #require(files.last)
        let verified = try await run(["verify", folder, "--json"])
        #expect(verified.status == .ok, "\(verified.errors)")
        let report = try JSONValue(parsing: Data(try #require(verified.output.first).utf8))
        #expect(report["file"].string == newest && report["rows"]["brands"].integer == 1)
        #expect(report["pendingMigrations"].items.isEmpty && report["newestMigration"].string != nil)
        let table = try await run(["verify", newest])
        #expect(table.status == .ok && table.output.first?.contains("intact") == true)
        #expect(table.output.contains { $0.hasPrefix("brands") && $0.hasSuffix("1") })

        let whole = try Data(contentsOf: URL(filePath: newest))
        try whole.prefix(whole.count / 2).write(to: URL(filePath: newest))
        let half = try await run(["verify", newest])
        #expect(half.status == .data && half.errors.contains("truncated"), "\(half.errors)")
        for wrong in [[], [newest, "--to", folder], ["--to", folder, "--keep", "0"], [newest, "--keep", "2"]] {
            #expect(try await run(["backup"] + wrong + ["--data-dir", data]).status == .usage)
        }
        #expect(try await gateway.process.stop().status == 0)
    }
}
