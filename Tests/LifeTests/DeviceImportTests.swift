import Crypto
import Foundation
import GatewayClient
import ProcessHarness
import Testing

@Suite("Taking over devices from the command line", .timeLimit(.minutes(10)))
struct DeviceImportTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("an export is read, imported, and kept the second time; errors name their lines")
    func export() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        let key = directory.path("key.p8")
        try P256.Signing.PrivateKey().pemRepresentation.write(toFile: key, atomically: true, encoding: .utf8)
        #expect(try await gateway.verb(["brand", "create", "acme"]).exit.status == 0)
        let put = [
            "app", "put", "acme", "ios", "--team-id", "TEAM000001", "--key-id", "KEY0000001", "--private-key-file",
            key, "--topic", "com.example.app",
        ]
        #expect(try await gateway.verb(put).exit.status == 0)
        let path = directory.path("users.csv")
        let rows = (1...3000).map { "p-\($0),\(String(0xAA_0000 + $0, radix: 16)),0,u-\($0 % 1000)" }
        let broken = ["p-x,not a token,0,u-x", "p-y,aa,1,u-y", "p-z,\"aa,0,u-z"]
        let lines = ["id,identifier,device_type,external_user_id"] + rows.prefix(1500) + broken + rows.dropFirst(1500)
        try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
        let command = ["device", "import", "acme", path, "--from", "onesignal", "--ios", "ios"]

        let tried = try await gateway.verb(command + ["--dry-run"])
        #expect(tried.exit.status == 1 && tried.output == ["readable 3001, kept 0, skipped 1, rejected 1"])
        #expect(tried.errors.contains("rejected line 1504: has a quote that is not closed"))
        #expect(try await gateway.verb(["device", "list", "acme", "u-1", "--json"]).output.joined().contains("[]"))

        let first = try await gateway.verb(command)
        #expect(first.exit.status == 1 && first.output == ["created 3000, kept 0, skipped 1, rejected 2"])
        #expect(first.errors.contains { $0.hasPrefix("rejected line 1502: /token ") }, "\(first.errors)")
        // Without a terminal there is no progress.
        #expect(!first.errors.contains { $0.contains("%") })
        let again = try await gateway.verb(command + ["--json"])
        #expect(again.exit.status == 1 && again.output.count == 3003)
        let results = try again.output.map { try JSONValue(parsing: Data($0.utf8)) }
        #expect(results.count { $0["status"].string == "kept" } == 3000)
        let others = results.filter { $0["status"].string != "kept" }
        #expect(Set(others.compactMap { $0["line"].integer }) == [1502, 1503, 1504])
        let devices = try await gateway.verb(["device", "list", "acme", "u-1", "--json"])
        let list = try JSONValue(parsing: Data((devices.output.first ?? "").utf8))
        #expect(Set(list["items"].items.map { $0["deviceId"].plain }) == ["p-1", "p-1001", "p-2001"])
        #expect(try await gateway.process.stop().status == 0)
    }
}
