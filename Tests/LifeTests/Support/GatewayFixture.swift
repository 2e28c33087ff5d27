import Foundation
import GatewayClient
import ProcessHarness
import Testing

/// A simulator and a gateway with one brand, one app and one phone of `u-1`.
struct GatewayFixture {
    let directory: TemporaryDirectory
    let simulator: SimulatorProcess
    let gateway: GatewayProcess
    private let environment: [String: String]

    /// The phone's token.
    static let token = String(repeating: "5a", count: 32)

    /// Starts both, creates the brand if `makesBrand`, and registers the phone.
    static func start(
        in directory: TemporaryDirectory,
        environment: [String: String] = [:],
        simulatorEnvironment: [String: String] = [:],
        makesBrand: Bool = true
    ) async throws -> GatewayFixture {
        let simulator = try await SimulatorProcess.start(in: directory, environment: simulatorEnvironment)
        let gateway = try await GatewayProcess.start(
            in: directory,
            trustRoots: simulator.authority,
            environment: environment
        )
        let fixture = GatewayFixture(
            directory: directory,
            simulator: simulator,
            gateway: gateway,
            environment: environment
        )
        if makesBrand {
            _ = try await gateway.admin.call("POST", ["v1", "brands"], body: ["id": "acme", "name": "Acme"])
        }
        _ = try await gateway.admin.call("PUT", fixture.path("apps", "ios"), body: try simulator.iOSAppBody())
        _ = try await gateway.admin.call(
            "PUT",
            fixture.path("apps", "ios", "devices", "phone"),
            query: [("consumer", "u-1")],
            body: ["token": .string(token), "pushType": "apns"]
        )
        return fixture
    }

    /// Starts the gateway again on the same data, with settings that replace or extend those of the first start.
    func restarted(_ further: [String: String] = [:]) async throws -> GatewayFixture {
        let again = try await GatewayProcess.start(
            in: directory,
            trustRoots: simulator.authority,
            environment: environment.merging(further) { $1 }
        )
        return GatewayFixture(directory: directory, simulator: simulator, gateway: again, environment: environment)
    }

    /// The database file.
    var database: String { gateway.dataDirectory + "/switchboard.sqlite" }

    /// Returns a path below the brand.
    func path(_ parts: String...) -> [String] { ["v1", "brands", "acme"] + parts }

    /// Posts an event for `u-1`, whatever the response.
    func post(_ id: String, in conversation: String = "c-9") async throws -> APIClient.Response {
        let event: JSONValue = [
            "id": .string(id), "type": "agent.message", "consumer": "u-1", "conversation": .string(conversation),
            "text": .string("text of \(id)"),
        ]
        return try await gateway.admin.exchange("POST", path("events"), body: event)
    }

    /// Returns the response of `/readyz`.
    func readiness() async throws -> Int { try await gateway.admin.exchange("GET", ["readyz"]).status }

    /// Returns the unread count of `u-1`.
    func unread() async throws -> Int64? {
        try await gateway.admin.call("GET", path("unread"), query: [("consumer", "u-1")]).body["unread"].integer
    }

    /// Returns the deliveries of `u-1`'s phone, newest first.
    func deliveries() async throws -> [JSONValue] {
        try await gateway.admin.call("GET", path("deliveries")).body["items"].items
    }

    /// Returns the lines of the metrics with a prefix.
    func metrics(_ prefix: String) async throws -> [String] {
        let text = try await gateway.admin.exchange("GET", ["metrics"]).body.plain
        return text.split(separator: "\n").map(String.init).filter { $0.hasPrefix(prefix) }
    }

    /// Sets the simulator's rules.
    func rules(_ rules: JSONValue) async throws {
        _ = try await APIClient(server: simulator.control).call("PUT", ["rules"], body: rules)
    }

    /// Polls until a condition holds, described by `what`, for at most nine minutes.
    func wait(for what: String, until isDone: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(540)
        while try await !isDone() {
            guard ContinuousClock.now < deadline else { throw HarnessError("waited in vain for: \(what)") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
