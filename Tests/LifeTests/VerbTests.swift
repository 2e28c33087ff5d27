import Crypto
import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// The subcommands over the HTTP API, as an operator uses them.
@Suite("Subcommands", .timeLimit(.minutes(10)))
struct VerbTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("an operator sets up a brand, sends and inspects, all from the command line")
    func wholeLife() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        func run(_ arguments: String...) async throws -> [String] {
            let result = try await gateway.verb(arguments)
            #expect(result.exit.status == 0, "\(arguments): \(result.errors)")
            return result.output
        }
        func json(_ arguments: String...) async throws -> JSONValue {
            let result = try await gateway.verb(arguments + ["--json"])
            #expect(result.exit.status == 0, "\(arguments): \(result.errors)")
            #expect(result.output.count <= 1, "JSON is one line")
            return try JSONValue(parsing: Data((result.output.first ?? "null").utf8))
        }
        let key = directory.path("key.p8")
        try P256.Signing.PrivateKey().pemRepresentation.write(toFile: key, atomically: true, encoding: .utf8)

        #expect(try await json("brand", "create", "acme", "--name", "Acme")["id"].string == "acme")
        #expect(try await run("brand", "list") == ["BRAND  NAME", "acme   Acme"])
        #expect(try await json("brand", "update", "acme", "--name", "Acme Ltd")["name"].string == "Acme Ltd")
        _ = try await run(
            "app",
            "put",
            "acme",
            "ios",
            "--team-id",
            "TEAM000001",
            "--key-id",
            "KEY0000001",
            "--private-key",
            key,
            "--topic",
            "com.example.app",
            "--endpoint",
            "https://127.0.0.1:1"
        )
        let app = try await json("app", "show", "acme", "ios")
        #expect(app["platform"].string == "ios" && !app.text.contains("PRIVATE KEY"))
        #expect(try await json("app", "list", "acme")["items"].items.count == 1)

        let credential = try await json("credential", "create", "acme", "--name", "cc", "--scope", "events:write")
        let id = try #require(credential["id"].string)
        #expect(credential["secret"].string?.isEmpty == false)
        #expect(try await run("credential", "list", "acme").joined().contains(id))

        let token = String(repeating: "ab", count: 32)
        _ = try await run(
            "device",
            "register",
            "acme",
            "ios",
            "phone-1",
            "--consumer",
            "u-1",
            "--token",
            token,
            "--type",
            "apns"
        )
        let devices = try await json("device", "list", "acme", "u-1")
        #expect(devices["items"].items.map { $0["deviceId"].plain } == ["phone-1"] && !devices.text.contains(token))
        #expect(
            try await json("device", "show", "acme", "ios", "phone-1", "--consumer", "u-1")["state"].string == "active"
        )

        let sent = try await json(
            "send",
            "acme",
            "u-1",
            "hello",
            "--conversation",
            "c-1",
            "--agent",
            "Dana",
            "--id",
            "e-1"
        )
        #expect(sent["accepted"].integer == 1 && sent["results"].items.first?["deliveries"].integer == 1)
        #expect(
            try await json("send", "acme", "u-1", "hello", "--conversation", "c-1", "--id", "e-1")["duplicates"].integer
                == 1
        )
        let deliveries = try await json("deliveries", "acme", "--consumer", "u-1")
        let delivery = try #require(deliveries["items"].items.first?["id"].string)
        #expect(try await json("deliveries", "acme", "--id", delivery)["id"].string == delivery)
        #expect(try await run("deliveries", "acme", "--state", "tapped").count == 1, "only the header")

        _ = try await run("device", "unregister", "acme", "ios", "phone-1", "--consumer", "u-1")
        _ = try await run("credential", "revoke", "acme", id)
        _ = try await run("app", "delete", "acme", "ios", "--yes")
        _ = try await run("brand", "delete", "acme", "--yes")
        #expect(try await run("brand", "list") == ["BRAND  NAME"])
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test("an error response goes to standard error with its code, and the exit status is 1")
    func rejection() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        let missing = try await gateway.verb(["brand", "show", "nobody"])
        #expect(missing.exit.status == 1 && missing.output.isEmpty)
        #expect(missing.errors.joined().contains("404 not_found"))
        let invalid = try await gateway.verb(["brand", "create", "no spaces"])
        #expect(invalid.exit.status == 1 && invalid.errors.joined().contains("/id"))
        try "wrong-token-wrong-token-wrong-token-wrong".write(
            toFile: directory.path("wrong"),
            atomically: true,
            encoding: .utf8
        )
        let verb = try ChildProcess(
            "switchboard",
            ["brand", "list", "--server", gateway.url, "--admin-token-file", directory.path("wrong")]
        )
        #expect(try await verb.ended().status == 1)
        #expect(verb.errors.joined().contains("401"))
        #expect(try await gateway.process.stop().status == 0)
        let gone = try await gateway.verb(["brand", "list"])
        #expect(gone.exit.status == 1 && gone.errors.joined().contains("is the gateway running?"))
    }

    @Test("migrate lists what is pending, applies it, and lists it as applied")
    func migrate() async throws {
        let data = directory.path("data")
        func run(_ arguments: String...) async throws -> [String] {
            let process = try ChildProcess("switchboard", ["migrate", "--data-dir", data] + arguments)
            #expect(try await process.ended().status == 0, "\(process.errors)")
            return process.output
        }
        let pending = try await run("--dry-run")
        #expect(!pending.isEmpty && pending.allSatisfy { $0.hasPrefix("pending") })
        #expect(!FileManager.default.fileExists(atPath: data), "a dry run makes nothing")
        let applied = try await run()
        #expect(applied.count == pending.count && applied.allSatisfy { $0.hasPrefix("applied now") })
        let after = try await run("--dry-run", "--json")
        let items = try JSONValue(parsing: Data(after.joined().utf8)).items
        #expect(items.count == pending.count && items.allSatisfy { $0["state"].string == "applied" })
    }

    @Test("a data directory that others may enter causes a warning of serve and check, and works")
    func openDirectory() async throws {
        let data = directory.path("data")
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: data)
        let gateway = try await GatewayProcess.start(in: directory)
        #expect(try await gateway.process.errorLine("other users of this host can read").contains(data))
        #expect(try await gateway.process.stop().status == 0)
        for (json, warning) in [([], "WARN data: \(data)"), (["--json"], #""warning":true"#)] as [([String], String)] {
            let check = try ChildProcess("switchboard", ["check", "--data-dir", data] + json)
            #expect(try await check.ended().status == 0, "\(check.output)")
            #expect(check.output.contains { $0.contains(warning) && $0.contains("chmod 700") }, "\(check.output)")
        }
    }

    @Test("check reports the error of each app, and exits with 1")
    func check() async throws {
        let fresh = try ChildProcess("switchboard", ["check", "--data-dir", directory.path("data")])
        #expect(try await fresh.ended().status == 0, "\(fresh.errors)")
        #expect(!FileManager.default.fileExists(atPath: directory.path("data")), "a check makes nothing")
        let gateway = try await GatewayProcess.start(in: directory)
        for (brand, merge) in [("acme", "device"), ("other", "token")] as [(String, JSONValue)] {
            let body: JSONValue = ["id": .string(brand), "name": "Acme", "settings": ["anonymousMerge": merge]]
            _ = try await gateway.admin.call("POST", ["v1", "brands"], body: body)
        }
        _ = try await gateway.admin.call(
            "PUT",
            ["v1", "brands", "acme", "apps", "ios"],
            body: [
                "platform": "ios",
                "apns": [
                    "teamId": "TEAM000001", "keyId": "KEY0000001", "topic": "com.example.app",
                    "privateKey": .string(P256.Signing.PrivateKey().pemRepresentation),
                    "endpoints": ["production": "https://127.0.0.1:1", "sandbox": "https://127.0.0.1:1"],
                ],
            ]
        )
        let inUse = try ChildProcess("switchboard", ["check", "--data-dir", directory.path("data")])
        #expect(try await inUse.ended().status == ProcessStatus.data.rawValue)
        #expect(try await gateway.process.stop().status == 0)
        let check = try ChildProcess("switchboard", ["check", "--json", "--data-dir", directory.path("data")])
        #expect(try await check.ended().status == 1)
        let verdicts = try check.output.map { try JSONValue(parsing: Data($0.utf8)) }
        let bad = verdicts.filter { $0["ok"] == .bool(false) }.map { $0["subject"].plain }
        #expect(bad == ["acme/ios/apns/production", "acme/ios/apns/sandbox"])
        let lane = try #require(verdicts.first { $0["subject"].plain == "acme/ios/apns/production" })
        #expect(lane["text"].plain.contains("cannot connect") && lane["text"].plain.contains("the firewall"))
        // These are about the host of the test.
        let host = ["disk", "limits", "clock", "tls trust"]
        #expect(host.allSatisfy { subject in verdicts.contains { $0["subject"].plain == subject } })
        #expect(verdicts.contains { $0["subject"] == "pushes" && $0["text"] == "none waits" })
        let warnings = verdicts.filter { $0["warning"] == .bool(true) && !host.contains($0["subject"].plain) }
        #expect(warnings.map { $0["subject"].plain } == ["brand acme"])
        #expect(warnings.allSatisfy { $0["ok"] == .bool(true) && $0["text"].plain.contains("anonymousMerge") })
    }

    @Test("an app authenticates with a .p12 file: check connects and shows its expiry, and the gateway counts it")
    func certificate() async throws {
        let simulator = try await SimulatorProcess.start(in: directory)
        let trust = ["SWITCHBOARD_PROVIDER_TRUST_ROOTS": simulator.authority]
        let gateway = try await GatewayProcess.start(in: directory, trustRoots: simulator.authority)
        try "simulator\n".write(toFile: directory.path("password"), atomically: true, encoding: .utf8)
        _ = try await gateway.verb(["brand", "create", "acme", "--name", "Acme"])
        let put = [
            "app", "put", "acme", "ios", "--certificate", simulator.keys + "/apns.p12", "--endpoint", simulator.apns,
        ]
        let closed = try await gateway.verb(put)
        #expect(closed.exit.status == 1 && closed.errors.joined().contains("/apns/password"))
        let opened = try await gateway.verb(put + ["--password-file", directory.path("password")])
        #expect(opened.exit.status == 0, "\(opened.errors)")
        let shown = try await gateway.verb(["app", "show", "acme", "ios"]).output.joined()
        let topic = try simulator.identity().topic
        #expect(shown.contains("Apple Push Services: \(topic)") && shown.contains("expiresAt"))
        #expect(!shown.contains("PRIVATE") && !shown.contains("simulator\""))
        let metrics = try await gateway.admin.exchange("GET", ["metrics"]).body.plain
        #expect(metrics.contains("switchboard_apns_certificates{expiry=\"over_30_days\"} 1"))
        #expect(try await gateway.process.stop().status == 0)
        let check = try ChildProcess(
            "switchboard",
            ["check", "--data-dir", directory.path("data")],
            environment: trust
        )
        #expect(try await check.ended().status == 0, "\(check.output)")
        let lanes = check.output.filter { $0.contains("acme/ios/apns/") }
        #expect(lanes.count == 2)
        #expect(lanes.allSatisfy { $0.hasPrefix("ok") && $0.contains("valid until") && $0.contains(topic) })
        #expect(try await simulator.process.stop().status == 0)
    }
}
