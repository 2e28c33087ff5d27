import Crypto
import Foundation
import GatewayClient
import ProcessHarness
import Testing

@Suite("Operator subcommands over the HTTP API", .timeLimit(.minutes(10)))
struct OperatorVerbTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func write(_ text: String, _ name: String) throws -> String {
        let path = directory.path(name)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test("credentials of every kind are created with secrets from files, shown, listed, audited and revoked")
    func credentials() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        let key = P256.Signing.PrivateKey()
        let privateKey = try write(key.pemRepresentation, "private.pem")
        let publicKey = try write(key.publicKey.pemRepresentation, "public.pem")
        let secret = try write(String(repeating: "s", count: 40) + "\n", "secret")
        #expect(try await gateway.verb(["brand", "create", "acme"]).exit.status == 0)
        let put = [
            "app", "put", "acme", "ios", "--team-id", "TEAM000001", "--key-id", "KEY0000001", "--private-key-file",
            privateKey, "--topic", "com.example.app",
        ]
        #expect(try await gateway.verb(put).exit.status == 0)
        let issuer = ["--issuer", "https://i.example", "--algorithm", "ES256"]
        let kinds: [(String, [String])] = [
            ("serviceAccount", ["--scope", "events:write", "--scope", "events:read"]), ("apiKey", []),
            ("sdkKey", ["--secret-file", secret, "--app", "ios", "--algorithm", "HS384"]),
            ("jwtIssuer", issuer + ["--public-key-file", publicKey, "--key-id", "k"]),
            ("jweKey", ["--algorithm", "ECDH-ES", "--private-key-file", privateKey]),
            (
                "identityProvider",
                issuer + [
                    "--token-endpoint", "https://i.example/token", "--client-id", "c", "--client-secret-file", secret,
                    "--client-auth", "body", "--redirect-uri", "app://a", "--redirect-uri", "app://b", "--pkce",
                    "required", "--jwks-url", "https://i.example/jwks",
                ]
            ), ("customerTokenKey", ["--secret-file", secret]),
            (
                "tokenBroker",
                [
                    "--app", "ios", "--token-url", "https://t.example", "--client-id", "c", "--key-id", "k",
                    "--token-scope", "s", "--private-key-file", privateKey,
                ]
            ),
        ]
        for (kind, arguments) in kinds {
            let made = try await gateway.verb(
                ["credential", "create", "acme", "--json", "--kind", kind, "--name", "n-" + kind] + arguments
            )
            #expect(made.exit.status == 0, "\(made.errors)")
            let id = try #require(try JSONValue(parsing: Data(made.output.joined().utf8))["id"].string)
            let shown = try await gateway.verb(["credential", "show", "acme", id]).output.joined()
            #expect(shown.contains(#""kind":"\#(kind)""#) && !shown.contains("PRIVATE") && !shown.contains("ssss"))
            let listed = try await gateway.verb(["credential", "list", "acme", "--kind", kind]).output
            #expect(listed.count == 2 && listed.joined().contains(id))
        }
        let all = try await gateway.verb(["credential", "list", "acme", "--all", "--json"]).output
        #expect(all.count == kinds.count, "one item per line")
        let first = try JSONValue(parsing: Data((all.first ?? "").utf8))["id"].plain
        #expect(try await gateway.verb(["credential", "revoke", "acme", first]).exit.status == 0)
        #expect(try await gateway.verb(["credential", "revoke", "acme", first]).exit.status == 1)
        let trail = try await gateway.verb(["audit", "acme", "--json", "--all"]).output
        #expect(trail.first?.contains("credential.revoked") == true && trail.count == kinds.count + 3)
        #expect(try await gateway.verb(["audit", "--limit", "1"]).output.count == 2)
        #expect(try await gateway.verb(["search", "acme", "nobody"]).exit.status == 1)
        #expect(try await gateway.verb(["search", "acme", "x", "--json"]).output == [#"{"items":[]}"#])
        #expect(try await gateway.verb(["deliveries", "failures", "acme"]).output.count == 1)
        let replay = ["deliveries", "replay", "acme", "--dry-run"]
        #expect(try await gateway.verb(replay).output.count == 1, "only the header")
        let dry = try await gateway.verb(replay + ["--json", "--app", "ios", "--state", "expired"]).output
        #expect(dry.count == 1 && dry.joined().contains(#""dryRun":true,"examined":0"#))
        #expect(try await gateway.verb(["deliveries", "replay", "acme", "--since", "x"]).exit.status == 1)
        let header = try await gateway.verb(["deliveries", "export", "acme", "--csv"]).output
        #expect(header.count == 1 && header[0].hasPrefix(#""id","messageId","consumer","#))
        let unreachable = ["consumers", "unreachable", "acme"]
        let rows = try await gateway.verb(unreachable + ["--csv"]).output
        #expect(rows.count == 1 && rows[0].hasPrefix(#""consumer","unread","unreadSince""#), "\(rows)")
        #expect(try await gateway.verb(unreachable + ["--unread-older-than-hours", "0"]).output.count == 1)
        #expect(try await gateway.verb(unreachable + ["--json"]).output == [#"{"items":[],"nextCursor":null}"#])
        #expect(try await gateway.verb(unreachable + ["--unread-older-than-hours", "9999"]).exit.status == 1)
        let lane = ["acme", "ios:apns:production"]
        let paused = try await gateway.verb(["lane", "pause"] + lane)
        #expect(paused.output.first?.hasPrefix("lane acme/ios:apns:production: An operator paused it at ") == true)
        #expect(try await gateway.verb(["lane", "list", "acme"]).output.count { $0.contains(" paused ") } == 1)
        let resumed = try await gateway.verb(["lane", "resume", "--json"] + lane).output.joined()
        #expect(resumed.contains(#""state":"idle""#))
        #expect(try await gateway.verb(["lane", "pause", "acme", "web:apns:production"]).exit.status == 1)
        let paced = try await gateway.verb(["lane", "pace"] + lane + ["250"]).output.first
        #expect(paced?.contains("at most 250 a second") == true)
        let unpaced = try await gateway.verb(["lane", "pace", "--none", "--json"] + lane).output.joined()
        #expect(unpaced.contains(#""pushesPerSecond":null"#))
        for wrong in [["0"], ["x"], [], ["5", "--none"]] {
            #expect(try await gateway.verb(["lane", "pace"] + lane + wrong).exit.status != 0)
        }
        let refused = try await gateway.verb(["credential", "create", "acme", "--name", "x", "--kind", "jweKey"])
        #expect(refused.exit.status == 1 && refused.errors.joined(separator: "\n").contains("/algorithm is required"))
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test("operators' accounts are created with passwords from files, listed, changed and deleted")
    func accounts() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        #expect(try await gateway.verb(["brand", "create", "acme"]).exit.status == 0)
        let password = try write("correct horse battery\n", "password")
        let create = [
            "operator", "create", "dana", "--role", "support@acme", "--role", "viewer", "--password-file", password,
        ]
        let made = try await gateway.verb(create + ["--json"])
        #expect(made.exit.status == 0, "\(made.errors)")
        let roles: JSONValue = [["role": "viewer", "brand": .null], ["role": "support", "brand": "acme"]]
        #expect(try JSONValue(parsing: Data(made.output.joined().utf8))["roles"] == roles)
        #expect(try await gateway.verb(create).exit.status == 1, "twice")
        let listed = try await gateway.verb(["operator", "list"])
        #expect(listed.output.count == 2 && listed.output.joined().contains("dana"))
        let update = try await gateway.verb(["operator", "update", "dana", "--role", "operator@acme"])
        #expect(update.output == ["operator dana updated"])
        let shown = try await gateway.verb(["operator", "show", "dana"]).output.joined()
        #expect(shown.contains(#""role":"operator""#) && !shown.contains("viewer") && !shown.contains("horse"))
        for status: Int32 in [0, 1] {
            #expect(try await gateway.verb(["operator", "delete", "dana"]).exit.status == status)
        }
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test("a file of events is posted in batches, rejected ones are reported, and nothing counts twice")
    func eventFile() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        #expect(try await gateway.verb(["brand", "create", "acme"]).exit.status == 0)
        let lines = (1...250).map {
            #"{"id":"e-\#($0)","type":"agent.message","consumer":"u-\#($0 % 7)","conversation":"c-\#($0 % 7)","text":"t"}"#
        }
        let good = try write(lines.joined(separator: "\n") + "\n\n", "good.ndjson")
        let sent = try await gateway.verb(["send", "acme", "--file", good, "--batch", "64", "--progress"])
        #expect(sent.exit.status == 0, "\(sent.errors)")
        #expect(sent.output == ["accepted 250, duplicates 0, rejected 0"])
        #expect(sent.errors.last == "switchboard: 250 events posted, 0 rejected")
        let unread = try await gateway.admin.call(
            "GET",
            ["v1", "brands", "acme", "unread"],
            query: [("consumer", "u-1")]
        )
        #expect(unread.body["unread"].integer == 36)
        // Through a pipe, with one that is not JSON and one without a text among those that were already accepted.
        let mixed = try write(
            (lines.prefix(2) + ["nonsense", #"{"id":"x"}"#] + lines.suffix(2)).joined(separator: "\n"),
            "mixed"
        )
        let program = ChildProcess.binaries.appending(path: "switchboard").path()
        let token = gateway.dataDirectory + "/admin-token"
        let pipe = "cat '\(mixed)' | '\(program)' send acme --file - --batch 3 --json --server \(gateway.url) "
        let piped = try ChildProcess("/bin/sh", ["-c", pipe + "--admin-token-file '\(token)'"])
        #expect(try await piped.ended().status == 1)
        let states = try piped.output.map { try JSONValue(parsing: Data($0.utf8))["status"].plain }
        #expect(states == ["duplicate", "duplicate", "rejected", "rejected", "duplicate", "duplicate"])
        #expect(piped.errors == ["switchboard: 2 of 6 events were rejected"], "no progress where nobody asked")
        let missing = try await gateway.verb(["send", "acme", "--file", directory.path("none")])
        #expect(missing.exit.status == ProcessStatus.usage.rawValue)
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test("an operator inspects deliveries, follows them, and tests an app")
    func looking() async throws {
        let fixture = try await GatewayFixture.start(in: directory)
        var app = try fixture.simulator.iOSAppBody().members
        app["canary"] = ["token": .string(GatewayFixture.token), "pushType": "apns", "everySeconds": 3600]
        _ = try await fixture.gateway.admin.call("PUT", fixture.path("apps", "ios"), body: .object(app))
        let follow = try ChildProcess(
            "switchboard",
            [
                "deliveries", "acme", "--follow", "--json", "--server", fixture.gateway.url, "--admin-token-file",
                fixture.gateway.dataDirectory + "/admin-token",
            ]
        )
        // A tail starts at the end: events are posted until it has received one of them.
        var count = 0
        try await fixture.wait(for: "a delivery that is followed") {
            count += 1
            _ = try await fixture.post("e-\(count)")
            return !follow.output.isEmpty
        }
        let line = try JSONValue(parsing: Data((follow.output.first ?? "").utf8))
        #expect(line["consumer"].string == "u-1" && line["state"].string == "accepted")
        follow.signal(SIGTERM)
        #expect(try await follow.ended() == .init(status: 0, isSignal: false))
        #expect(follow.errors.isEmpty, "\(follow.errors)")
        let id = line["id"].plain
        #expect(
            try await fixture.gateway.verb(["deliveries", "list", "acme", "--id", id]).output.joined().contains(
                "timeline"
            )
        )
        let retry = try await fixture.gateway.verb(["deliveries", "retry", "acme", id])
        #expect(retry.exit.status == 1 && retry.errors.joined().contains("409 conflict"))
        let stats = try await fixture.gateway.verb(["stats", "acme", "--window", "15m"])
        #expect(stats.exit.status == 0 && stats.output.contains { $0.hasPrefix("byState.accepted  ") }, "\(stats)")
        let event = try write(#"{"id":"p","type":"agent.message","consumer":"u-1","text":"hello"}"#, "event.json")
        let preview = try await fixture.gateway.verb([
            "app", "preview", "acme", "ios", "--event", event, "--type", "apns",
        ])
        #expect(preview.exit.status == 0 && preview.output.joined().contains("hello"), "\(preview.errors)")
        let token = try write(GatewayFixture.token + "\n", "token")
        let check = try await fixture.gateway.verb([
            "app", "self-check", "acme", "ios", "--token-file", token, "--type", "apns",
        ])
        #expect(check.exit.status == 0 && check.output.contains("outcome  accepted"), "\(check)")
        try await fixture.wait(for: "the canary's verdict") {
            let lanes = try await fixture.gateway.admin.call("GET", fixture.path("lanes")).body["items"].items
            return lanes.contains { $0["canary"]["condition"].string == "accepted" }
        }
        #expect(try await fixture.metrics(#"switchboard_canaries{condition="accepted"} 1"#).count == 1)
        let top = try await fixture.gateway.verb(["top", "--once", "--interval", "1", "--brand", "acme"]).output
        #expect(top.contains { $0.hasPrefix("canary  ios:apns:production  accepted  ") }, "\(top)")
        #expect(try await fixture.gateway.process.stop().status == 0)
        let report = try ChildProcess("switchboard", ["check", "--data-dir", fixture.gateway.dataDirectory])
        // Its other lines need the configuration of the fixture.
        _ = try await report.ended()
        #expect(report.output.contains { $0.hasPrefix("ok   canary acme/ios/apns/production: accepted, ") })
        #expect(try await fixture.simulator.process.stop().status == 0)
    }

    @Test("completion scripts are valid for their shells", arguments: ["bash", "zsh", "fish"])
    func completion(_ shell: String) async throws {
        let printed = try ChildProcess("switchboard", ["completion", shell])
        #expect(try await printed.ended().status == 0)
        let script = printed.output.joined(separator: "\n") + "\n"
        #expect(script.contains("switchboard") && script.contains("self-check"))
        let program = ["/bin/", "/usr/bin/"].map { $0 + shell }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
        // Debian always has bash; the others are checked if they are installed.
        guard let program else { return #expect(shell != "bash") }
        let check = try ChildProcess(program, ["-n", try write(script, "completion." + shell)])
        #expect(try await check.ended().status == 0, "\(check.errors)")
        #expect(check.errors.isEmpty)
    }

    @Test("wrong usage exits with 2 and a reason on standard error")
    func usage() async throws {
        for arguments in [
            ["nothing"], ["brand"], ["brand", "delete", "acme"], ["send", "acme"], ["completion", "tcsh"],
            ["deliveries", "acme", "--follow", "--all"], ["consumers", "unreachable", "acme", "--csv", "--json"],
            ["brand", "list", "--server", "ftp://x"],
        ] {
            let verb = try ChildProcess("switchboard", arguments)
            let status = try await verb.ended().status
            // A command that only has subcommands prints its help.
            #expect(status == (arguments == ["brand"] ? 0 : ProcessStatus.usage.rawValue), "\(arguments)")
            #expect(verb.errors.isEmpty == (status == 0))
        }
    }
}
