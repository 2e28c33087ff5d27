import Crypto
import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// `apply` and `export` against a gateway.
@Suite("A brand as a file", .timeLimit(.minutes(10)))
struct ApplyTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func write(_ text: String, _ name: String, mode: Int = 0o600) throws -> String {
        let path = directory.path(name)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// Writes a brand's file with an app, an issuer and a service account, and the files of their secrets.
    private func brand(_ id: String = "acme", host: String = "a.example.com") throws -> String {
        let key = P256.Signing.PrivateKey()
        _ = try write(key.pemRepresentation, "ios.p8")
        _ = try write(key.publicKey.pemRepresentation, "issuer.pem", mode: 0o644)
        _ = try write("whsec_" + Data(repeating: 7, count: 32).base64EncodedString() + "\n", "webhook")
        _ = try write("kx8wYq3vT1mZ5nB7\n", "chatwoot")
        _ = try write("hT4bQ9wLr2Vn8XyK\n", "token")
        return try write(
            """
            brand:
              id: \(id)
              name: Acme
              settings:
                retentionDays: 7
                linkHosts: [\(host)]
                quietHours: {from: 22:00, to: 06:00, timeZone: Europe/Berlin}
                webhook:
                  url: https://hooks.example.com/switchboard
                  secret: {file: webhook}
            apps:
              ios:
                platform: ios
                apns:
                  teamId: TEAM000001
                  keyId: KEY0000001
                  topic: com.example.app
                  privateKey: {file: ios.p8}
                links:
                  host: \(host)
                  paths: ["/chat/*"]
                  ios: {appIds: [TEAM000001.com.example.app]}
            credentials:
              - kind: serviceAccount
                name: contact centre
                scopes: [events:write, deliveries:read]
              - kind: jwtIssuer
                name: login
                issuer: https://login.example.com
                algorithm: ES256
                publicKey: {file: issuer.pem}
            hooks:
              chatwoot:
                kind: chatwoot
                secret: {file: chatwoot}
                reply: {url: https://chat.example.com, accountId: 1, token: {file: token}}
              desk:
                kind: generic
                pathSecret: true
                mapping:
                  filter: {/type: reply}
                  event:
                    type: agent.message
                    consumer: {pointer: /user}
                    text: {pointer: /text}
            """,
            id + ".yaml"
        )
    }

    @Test("a second apply changes nothing, a change by hand is shown and undone, and an export is such a file")
    func whole() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        let file = try brand()
        let planned = try await gateway.verb(["apply", "-f", file, "--plan"])
        #expect(planned.exit.status == 2 && planned.output.contains("+ brand acme"), "\(planned)")
        #expect(try await gateway.verb(["brand", "show", "acme"]).exit.status == 1, "a plan changes nothing")
        let nowhere = try await gateway.verb(["apply", "-f", file])
        #expect(nowhere.exit.status == 1 && nowhere.errors.joined().contains("--secrets-dir"), "\(nowhere)")
        #expect(try await gateway.verb(["brand", "show", "acme"]).exit.status == 1, "nothing was sent")

        let secrets = directory.path("secrets")
        let applied = try await gateway.verb(["apply", "-f", file, "--secrets-dir", secrets])
        #expect(applied.exit.status == 0 && applied.output.contains("+ app ios"), "\(applied)")
        #expect(!applied.output.joined().contains("whsec_") && !applied.output.joined().contains("PRIVATE"))
        let names = try FileManager.default.contentsOfDirectory(atPath: secrets)
        #expect(names.count == 2)
        let hook = try #require(names.first { $0.hasPrefix("hook-desk-") })
        let path = try #require(try JSONFile.read(secrets + "/" + hook)["path"].string)
        #expect(path.hasPrefix("/v1/hooks/acme/desk/"))
        let kept = secrets + "/" + (names.first { $0 != hook } ?? "")
        #expect(try JSONFile.read(kept)["secret"].string?.isEmpty == false)
        let mode = try FileManager.default.attributesOfItem(atPath: kept)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        for arguments in [["--plan"], [], ["--plan", "--prune"], ["--prune"]] {
            let again = try await gateway.verb(["apply", "-f", file] + arguments)
            #expect(again.exit.status == 0 && again.output == ["brand acme is as the file describes it"], "\(again)")
        }

        let settings = try write(#"{"retentionDays":5,"preview":"none"}"#, "settings.json")
        #expect(try await gateway.verb(["brand", "update", "acme", "--settings", settings]).exit.status == 0)
        #expect(try await gateway.verb(["app", "delete", "acme", "ios", "--yes"]).exit.status == 0)
        let shown = try await gateway.verb(["apply", "-f", file, "--plan", "--json"])
        let plan = try JSONValue(parsing: Data(shown.output.joined().utf8))
        #expect(shown.exit.status == 2 && plan["applied"] == .bool(false))
        #expect(plan["steps"].items.map { $0["name"].plain } == ["acme", "ios"])
        #expect(plan["steps"].items.first?["members"].items.first?["from"].integer == 5)
        #expect(plan["kept"].items.first?["members"].items.map { $0["member"].plain } == ["settings.preview"])
        #expect(try await gateway.verb(["apply", "-f", file]).exit.status == 0)

        let exported = try await gateway.verb(["export", "brand", "acme"])
        #expect(exported.exit.status == 0)
        #expect(exported.output.contains { $0.contains("file: secrets/ios-apns-privateKey") }, "\(exported)")
        #expect(exported.output.contains { $0.contains("file: secrets/hook-chatwoot-secret") }, "\(exported)")
        #expect(exported.output.contains { $0.contains("file: secrets/hook-chatwoot-reply-token") }, "\(exported)")
        let copy = try write(exported.output.joined(separator: "\n") + "\n", "exported.yaml")
        let compared = try await gateway.verb(["apply", "-f", copy, "--plan", "--prune"])
        #expect(compared.exit.status == 0, "\(compared)")
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test("pruning deletes what the file does not have, and a host of links moves")
    func pruning() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        let secrets = ["--secrets-dir", directory.path("secrets")]
        let file = try brand()
        #expect(try await gateway.verb(["apply", "-f", file] + secrets).exit.status == 0)
        _ = try await gateway.verb(["credential", "create", "acme", "--name", "by hand", "--scope", "events:read"])
        let other = try brand(host: "b.example.com")
        let moved = try await gateway.verb(["apply", "-f", other] + secrets)
        #expect(moved.exit.status == 0, "\(moved)")
        let shown = try await gateway.admin.call("GET", ["v1", "brands", "acme"]).body
        #expect(shown["settings"]["linkHosts"].items.map(\.plain) == ["b.example.com"])
        #expect(moved.output.contains { $0.hasPrefix("not in the file, kept: - credential serviceAccount by hand") })
        let bare = try write("brand: {id: acme}\napps: {}\ncredentials: []\nhooks: {}\n", "bare.yaml")
        #expect(try await gateway.verb(["apply", "-f", bare, "--plan"]).exit.status == 0)
        #expect(try await gateway.verb(["apply", "-f", bare, "--prune"]).exit.status == 0)
        #expect(try await gateway.verb(["app", "list", "acme"]).output.count == 1, "only the header")
        #expect(try await gateway.verb(["credential", "list", "acme"]).output.count == 1)
        #expect(try await gateway.verb(["hook", "list", "acme"]).output.count == 1)
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test("bad input is refused with its place, before anything is changed")
    func badInput() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        let good = try String(contentsOfFile: try brand(), encoding: .utf8)
        _ = try write("text\n", "open", mode: 0o644)
        for (old, new, error) in [
            ("retentionDays", "retentionDay", ":5: brand.settings.retentionDay is unknown; did you mean retentionDays"),
            ("apps:", "aps:", "aps is unknown; did you mean apps?"), ("brand:", "brand", "is not YAML"),
            ("file: ios.p8", "file: none", "apps.ios.apns.privateKey none does not exist"),
            ("file: ios.p8", "file: open", "other users can read it"),
        ] {
            let file = try write(good.replacing(old, with: new), "bad.yaml")
            let refused = try await gateway.verb(["apply", "-f", file])
            let errors = refused.errors.joined(separator: "\n")
            #expect(refused.exit.status == 1 && errors.contains(error), "\(refused)")
            #expect(errors.contains("bad.yaml") && refused.output.isEmpty)
        }
        #expect(try await gateway.verb(["apply", "-f", directory.path("none")]).exit.status == 1)
        #expect(try await gateway.verb(["apply"]).exit.status == ProcessStatus.usage.rawValue)
        // A pipeline must not take wrong arguments for differences.
        let misspelled = try await gateway.verb(["apply", "-f", directory.path("bad.yaml"), "--plan", "--prone"])
        #expect(misspelled.exit.status == 1 && misspelled.errors.joined().contains("--prone"), "\(misspelled)")
        // What only the gateway can check is reported with the line, too.
        let range = try write("brand: {id: acme, name: A}\n", "range.yaml")
        #expect(try await gateway.verb(["apply", "-f", range]).exit.status == 0)
        let beyond = try write("brand:\n  id: acme\n  settings:\n    retentionDays: 0\n", "range.yaml")
        let refused = try await gateway.verb(["apply", "-f", beyond])
        #expect(refused.exit.status == 1)
        #expect(refused.errors.contains { $0.contains("range.yaml:4: brand.settings.retentionDays") }, "\(refused)")
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test("several at once create everything once, and whoever was too late changes nothing")
    func atOnce() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        let file = try brand()
        let arguments = ["apply", "-f", file, "--secrets-dir", directory.path("secrets")]
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 1...4 { group.addTask { try await gateway.verb(arguments).exit.status } }
            return try await group.reduce(into: [Int32]()) { $0.append($1) }
        }
        #expect(statuses.allSatisfy { $0 == 0 || $0 == 1 }, "\(statuses)")
        #expect(try await gateway.verb(arguments).exit.status == 0)
        let listed = try await gateway.verb(["credential", "list", "acme", "--all", "--json"]).output
        #expect(listed.count == 2, "\(listed)")
        #expect(try await gateway.verb(["apply", "-f", file, "--plan", "--prune"]).exit.status == 0)
        #expect(try await gateway.process.stop().status == 0)
    }
}
