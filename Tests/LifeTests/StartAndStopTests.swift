import Foundation
import GatewayClient
import ProcessHarness
import Testing

@testable import Gateway

@Suite("Start and stop", .timeLimit(.minutes(10)))
struct StartAndStopTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("the first start creates secrets that others cannot read, prints the token's path, and one line when ready")
    func firstStart() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        #expect(gateway.process.errors.contains { $0.contains(gateway.dataDirectory + "/admin-token") })
        let token = try String(contentsOfFile: gateway.dataDirectory + "/admin-token", encoding: .utf8)
        #expect(!gateway.process.errors.joined().contains(token.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(try mode(gateway.dataDirectory) == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: gateway.dataDirectory) {
            #expect(try mode(gateway.dataDirectory + "/" + name) & 0o077 == 0, "\(name) is open to others")
        }
        #expect(try await gateway.admin.call("GET", ["readyz"]).status == 200)
        #expect(try await gateway.process.stop() == .init(status: 0, isSignal: false))
        #expect(gateway.process.output == ["listening on \(gateway.url)"])
    }

    @Test("data, credentials and unread counts survive a restart, and the admin token stays the same")
    func restart() async throws {
        let first = try await GatewayProcess.start(in: directory)
        _ = try await first.admin.call("POST", ["v1", "brands"], body: ["id": "acme", "name": "Acme"])
        let token = try await first.session("u-1")
        let event =
            ["id": "e1", "type": "agent.message", "consumer": "u-1", "conversation": "c", "text": "hi"] as JSONValue
        _ = try await first.admin.call("POST", ["v1", "brands", "acme", "events"], body: event)
        #expect(try await first.process.stop().status == 0)

        let second = try await GatewayProcess.start(in: directory)
        #expect(second.admin.authorization == first.admin.authorization)
        let device = APIClient(server: second.url, bearer: token)
        #expect(try await device.call("GET", ["v1", "brands", "acme", "unread"]).body["unread"].integer == 1)
        let again = try await second.admin.call("POST", ["v1", "brands", "acme", "events"], body: event)
        #expect(again.body["duplicates"].integer == 1)
        #expect(try await second.process.stop().status == 0)
    }

    @Test("acknowledged events survive kill -9")
    func kill() async throws {
        let first = try await GatewayProcess.start(in: directory)
        _ = try await first.admin.call("POST", ["v1", "brands"], body: ["id": "acme", "name": "Acme"])
        let admin = first.admin
        let acknowledged = await withTaskGroup(of: [String].self) { group in
            for writer in 0..<4 {
                group.addTask {
                    var ids: [String] = []
                    for number in 0..<10_000 {
                        let id = "e-\(writer)-\(number)"
                        let event: JSONValue = [
                            "id": .string(id), "type": "agent.message", "consumer": .string("u-\(writer)"),
                            "text": "hi",
                        ]
                        let response = try? await admin.exchange(
                            "POST",
                            ["v1", "brands", "acme", "events"],
                            body: event
                        )
                        guard response?.status == 202 else { break }
                        ids.append(id)
                        if writer == 0, number == 25 { first.process.signal(SIGKILL) }
                    }
                    return ids
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(try await first.process.ended() == .init(status: SIGKILL, isSignal: true))
        try #require(acknowledged.count > 25)

        let second = try await GatewayProcess.start(in: directory)
        let events: [JSONValue] = acknowledged.map { id in
            let writer = id.split(separator: "-")[1]
            return ["id": .string(id), "type": "agent.message", "consumer": .string("u-\(writer)"), "text": "hi"]
        }
        let response = try await second.admin.call("POST", ["v1", "brands", "acme", "events"], body: .array(events))
        #expect(response.body["duplicates"].integer == Int64(acknowledged.count))
        #expect(response.body["accepted"].integer == 0)
        #expect(try await second.process.stop().status == 0)
    }

    @Test("a second SIGTERM ends a shutdown that a hanging store blocks, and the next start works")
    func secondSignalWhileTheStoreHangs() async throws {
        let faults = try await FaultSwitch(in: directory)
        let fixture = try await GatewayFixture.start(in: directory, environment: faults.environment)
        #expect(try await fixture.post("before").status == 202)
        try faults.set(sync: FaultSwitch.hang)
        // Without a response: the first hangs in its commit, the next ones wait for it, and the shutdown waits for all
        // of them.
        var posts: [Task<APIClient.Response, any Error>] = []
        try await fixture.wait(for: "an event that waits") {
            let number = posts.count
            posts.append(Task { try await fixture.post("during-\(number)") })
            return try await fixture.metrics("switchboard_intake_pending_events ").contains { !$0.hasSuffix(" 0") }
        }
        fixture.gateway.process.signal(SIGTERM)
        _ = try await fixture.gateway.process.errorLine("\"stopping\"")
        fixture.gateway.process.signal(SIGTERM)
        let exit = try await fixture.gateway.process.ended()
        #expect(exit == .init(status: ProcessStatus.secondSignal.rawValue, isSignal: false))
        for post in posts {
            let response = try? await post.value
            #expect(response?.status != 202, "it was never synced")
        }
        try faults.set()
        let again = try await fixture.restarted()
        #expect(try await again.readiness() == 200)
        #expect(try await again.post("before").body["duplicates"].integer == 1)
        #expect(try await again.gateway.process.stop().status == 0)
    }

    @Test("SIGHUP applies the log level and logs which settings need a restart")
    func reload() async throws {
        let file = directory.path("settings.yaml")
        try "log: {level: info}\n".write(toFile: file, atomically: true, encoding: .utf8)
        let gateway = try await GatewayProcess.start(in: directory, arguments: ["--config", file])
        try "log: {level: debug}\nmetrics: {listen: \"127.0.0.1:0\"}\n"
            .write(toFile: file, atomically: true, encoding: .utf8)
        gateway.process.signal(SIGHUP)
        let line = try await gateway.process.errorLine("settings reloaded")
        #expect(line.contains("\"metrics\"") && line.contains("\"debug\""))
        try "log: {levle: debug}\n".write(toFile: file, atomically: true, encoding: .utf8)
        gateway.process.signal(SIGHUP)
        #expect(try await gateway.process.errorLine("settings not reloaded").contains("log.level?"))
        _ = try await gateway.admin.call("GET", ["readyz"])
        _ = try await gateway.process.errorLine("\"level\":\"debug\"")
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test("SQLite's own file methods are used if the settings ask for it, with a log line")
    func ownFileMethods() async throws {
        let environment = ["SWITCHBOARD_STORAGE_TUNE_FILE_ACCESS": "false"]
        let gateway = try await GatewayProcess.start(in: directory, environment: environment)
        let line = try await gateway.process.errorLine("storage.tuneFileAccess is false")
        #expect(line.contains(#""level":"notice""#))
        _ = try await gateway.admin.call("POST", ["v1", "brands"], body: ["id": "acme", "name": "Acme"])
        #expect(try await gateway.process.stop().status == 0)
        let again = try await GatewayProcess.start(in: directory)
        #expect(try await again.admin.call("GET", ["v1", "brands", "acme"]).status == 200)
        #expect(try await again.process.stop().status == 0)
        #expect(!again.process.errors.contains { $0.contains("storage.tuneFileAccess") })
    }

    @Test("metrics have a separate listener without authentication; promtool reports no problem")
    func metrics() async throws {
        let port = try await freePort()
        let gateway = try await GatewayProcess.start(
            in: directory,
            environment: ["SWITCHBOARD_METRICS_LISTEN": "127.0.0.1:\(port)"]
        )
        _ = try await gateway.admin.call("POST", ["v1", "brands"], body: ["id": "acme", "name": "Acme"])
        let script =
            "curl -sS --fail http://127.0.0.1:\(port)/metrics | tee \(directory.path("m")) | promtool check metrics"
        let check = try ChildProcess("/usr/bin/env", ["bash", "-o", "pipefail", "-c", script])
        let exit = try await check.ended()
        #expect(exit.status == 0 && check.errors.isEmpty, "\(check.errors)")
        let text = try String(contentsOfFile: directory.path("m"), encoding: .utf8)
        #expect(
            text.contains(
                #"switchboard_http_requests_total{method="POST",route="/v1/brands",status_class="2xx"} 1"#
            )
        )
        #expect(try await gateway.process.stop().status == 0)
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }
}
