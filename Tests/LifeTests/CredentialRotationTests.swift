import Crypto
import Foundation
import GatewayClient
import ProcessHarness
import Testing

@Suite("Rotation of a credential", .timeLimit(.minutes(10)))
struct CredentialRotationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func json(_ gateway: GatewayProcess, _ arguments: [String]) async throws -> JSONValue {
        let result = try await gateway.verb(arguments + ["--json"])
        #expect(result.exit.status == 0, "\(arguments): \(result.errors)")
        return try JSONValue(parsing: Data((result.output.first ?? "null").utf8))
    }

    private func create(_ gateway: GatewayProcess, _ arguments: String...) async throws -> JSONValue {
        try await json(gateway, ["credential", "create", "acme"] + arguments)
    }

    /// Returns the status of a feed's response to a service account.
    private func status(_ gateway: GatewayProcess, _ account: JSONValue) async throws -> Int {
        let basic = Data("\(account["id"].plain):\(account["secret"].plain)".utf8).base64EncodedString()
        let curl = try ChildProcess(
            "/usr/bin/env",
            [
                "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}\n", "-H", "authorization: Basic " + basic,
                gateway.url + "/v1/brands/acme/outbound",
            ]
        )
        #expect(try await curl.ended().status == 0)
        return Int(curl.output.first ?? "") ?? 0
    }

    @Test("the second is like the first with its own secret; the first works until it is revoked")
    func rotate() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        #expect(try await gateway.verb(["brand", "create", "acme"]).exit.status == 0)
        let first = try await create(gateway, "--name", "crm", "--scope", "events:read", "--scope", "events:write")
        let second = try await json(gateway, ["credential", "rotate", "acme", first["id"].plain])
        for member in ["kind", "name", "scopes", "expiresAt"] { #expect(second[member] == first[member]) }
        #expect(second["id"] != first["id"] && second["secret"] != first["secret"])
        #expect(try await status(gateway, first) == 200)
        #expect(try await status(gateway, second) == 200)

        let third = try await json(
            gateway,
            ["credential", "rotate", "acme", second["id"].plain, "--revoke-old", "--name", "crm-3"]
        )
        #expect(third["name"].string == "crm-3")
        #expect(try await status(gateway, second) == 401)
        #expect(try await status(gateway, third) == 200)
        let gone = try await gateway.verb(["credential", "rotate", "acme", second["id"].plain])
        #expect(gone.exit.status == 1 && gone.output.isEmpty, "\(gone)")
        let key = try await create(
            gateway,
            "--kind",
            "sdkKey",
            "--name",
            "web",
            "--max-lifetime",
            "900",
            "--single-use"
        )
        let next = try await json(gateway, ["credential", "rotate", "acme", key["id"].plain, "--name", "web-2"])
        for made in [key, next] {
            #expect(made["maxLifetimeSeconds"] == .integer(900) && made["singleUse"] == .bool(true))
        }
        let plain = try await gateway.verb(["credential", "rotate", "acme", third["id"].plain, "--revoke-old"])
        #expect(plain.output.count == 3 && plain.output.last == "credential \(third["id"].plain) revoked", "\(plain)")
        #expect(plain.output[1].hasPrefix("secret  "))
        #expect(try await gateway.process.stop().status == 0)
    }

    @Test("values that cannot be copied are required, and nothing is created without them")
    func asked() async throws {
        let gateway = try await GatewayProcess.start(in: directory)
        #expect(try await gateway.verb(["brand", "create", "acme"]).exit.status == 0)
        func refused(_ id: JSONValue, _ arguments: String...) async throws -> String {
            let before = try await json(gateway, ["credential", "list", "acme"])
            let result = try await gateway.verb(["credential", "rotate", "acme", id.plain] + arguments)
            #expect(result.exit.status == ProcessStatus.usage.rawValue && result.output.isEmpty, "\(result)")
            #expect(try await json(gateway, ["credential", "list", "acme"]) == before)
            return result.errors.joined()
        }
        let end = "2099-01-01T00:00:00.000Z"
        let key = try await create(
            gateway,
            "--kind",
            "sdkKey",
            "--name",
            "web",
            "--algorithm",
            "HS512",
            "--expires-at",
            end
        )
        #expect(try await refused(key["id"]).contains("--name"))
        #expect(try await refused(key["id"], "--name", "web-2").contains("--expires-at"))
        let taken = try await gateway.verb(
            ["credential", "rotate", "acme", key["id"].plain, "--name", "web", "--expires-at", "never"]
        )
        #expect(taken.exit.status == 1 && taken.errors.joined().contains("409"), "\(taken)")
        let second = try await json(
            gateway,
            ["credential", "rotate", "acme", key["id"].plain, "--name", "web-2", "--expires-at", "never"]
        )
        #expect(second["algorithm"].string == "HS512" && second["expiresAt"] == .null)
        let third = try await json(
            gateway,
            ["credential", "rotate", "acme", second["id"].plain, "--name", "web-3", "--expires-at", end]
        )
        #expect(third["expiresAt"] == key["expiresAt"] && third["expiresAt"] != .null)

        let opening = try await create(gateway, "--kind", "jweKey", "--name", "jwe", "--algorithm", "ECDH-ES")
        let another = try await json(gateway, ["credential", "rotate", "acme", opening["id"].plain])
        #expect(another["algorithm"] == opening["algorithm"] && another["publicKey"] != opening["publicKey"])
        for kind in ["apiKey", "customerTokenKey"] {
            let made = try await create(gateway, "--kind", kind, "--name", kind)
            let again = try await json(gateway, ["credential", "rotate", "acme", made["id"].plain])
            #expect(again["kind"].string == kind && again["secret"] != made["secret"])
        }
        let path = directory.path("public.pem")
        try P256.Signing.PrivateKey().publicKey.pemRepresentation.write(toFile: path, atomically: true, encoding: .utf8)
        let issuer = try await create(
            gateway,
            "--kind",
            "jwtIssuer",
            "--name",
            "login",
            "--issuer",
            "https://i.example",
            "--algorithm",
            "ES256",
            "--public-key-file",
            path
        )
        #expect(try await refused(issuer["id"]).contains("credential create acme --kind jwtIssuer"))
        #expect(try await gateway.process.stop().status == 0)
    }
}
