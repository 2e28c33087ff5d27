import Foundation
import GatewayClient
import ProcessHarness
import TLS
import Testing

/// Certificates with the highest allowed number of key derivation rounds, with real processes.
@Suite("Certificates that are expensive to decrypt", .timeLimit(.minutes(10)))
struct CostlyCertificateTests {
    /// The number of apps: enough to occupy a processor for seconds.
    private static let apps = 20
    /// The rounds of each part: the certificate, the key and the file's MAC have separate derivations.
    private static let roundsOfPart = KeyDerivations.maxRounds / 3
    private static let password = "simulator"

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func openssl(_ arguments: String...) async throws {
        let process = try ChildProcess("/usr/bin/env", ["openssl", "pkcs12"] + arguments)
        try #require(try await process.ended().status == 0, "\(process.errors)")
    }

    /// Returns the simulator's app with its certificate in a file with `rounds` for each part.
    private func app(_ simulator: SimulatorProcess, rounds: Int) async throws -> JSONValue {
        let (plain, closed) = (directory.path("plain.pem"), directory.path("closed-\(rounds).p12"))
        let password = "pass:\(Self.password)"
        try await openssl("-in", simulator.keys + "/apns.p12", "-passin", password, "-nodes", "-out", plain)
        try await openssl("-export", "-in", plain, "-passout", password, "-iter", "\(rounds)", "-out", closed)
        let file = try Data(contentsOf: URL(filePath: closed)).base64EncodedString()
        return [
            "platform": "ios",
            "apns": [
                "certificate": .string(file), "password": .string(Self.password),
                "endpoints": ["production": .string(simulator.apns), "sandbox": .string(simulator.apns)],
            ],
        ]
    }

    /// Starts a client that puts all apps at once, over separate connections, and prints each response's status.
    private func put(_ app: JSONValue, at fixture: GatewayFixture) throws -> ChildProcess {
        let body = directory.path("app.json")
        try Data(app.text.utf8).write(to: URL(filePath: body))
        let url = fixture.gateway.url + "/v1/brands/acme/apps/costly-[1-\(Self.apps)]"
        return try ChildProcess(
            "/usr/bin/env",
            [
                "curl", "--no-progress-meter", "-Z", "--parallel-max", "\(Self.apps)", "-X", "PUT", "-d", "@" + body,
                "-H",
                "authorization: Bearer " + fixture.gateway.adminToken, "-H", "content-type: application/json", "-o",
                "/dev/null", "-w", "%{stderr}%{http_code}\n", url,
            ]
        )
    }

    @Test("do not delay events and probes of others while they are decrypted")
    func others() async throws {
        let fixture = try await GatewayFixture.start(in: directory)
        let curl = try put(try await app(fixture.simulator, rounds: Self.roundsOfPart), at: fixture)
        // From here on one of them is being decrypted until the last one is.
        _ = try await curl.errorLine("201")
        for number in 0..<20 {
            #expect(try await fixture.post("e-\(number)", in: "c-\(number)").status == 202)
            #expect(try await fixture.gateway.admin.exchange("GET", ["livez"]).status == 200)
        }
        #expect(curl.errors.count < Self.apps)
        #expect(try await curl.ended().status == 0)
        #expect(curl.errors == Array(repeating: "201", count: Self.apps))
        let check: JSONValue = ["token": .string(GatewayFixture.token), "pushType": "apns"]
        let path = fixture.path("apps", "costly-7", "self-check")
        let checked = try await fixture.gateway.admin.call("POST", path, body: check)
        #expect(checked.body["outcome"].string == "accepted")
        let more = try await app(fixture.simulator, rounds: Self.roundsOfPart + 1)
        #expect(try await fixture.gateway.admin.exchange("PUT", fixture.path("apps", "more"), body: more).status == 422)
        #expect(try await fixture.gateway.process.stop().status == 0)
    }
}
