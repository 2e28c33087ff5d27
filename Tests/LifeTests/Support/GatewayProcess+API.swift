import Foundation
import GatewayClient
import ProcessHarness
import Testing

extension GatewayProcess {
    /// A client with the admin token.
    var admin: APIClient { APIClient(server: url, bearer: adminToken) }

    /// Creates a session token of a consumer, bound to a device if there is one.
    func session(_ consumer: String, device: String? = nil, brand: String = "acme") async throws -> String {
        let response = try await admin.call(
            "POST",
            ["v1", "brands", brand, "consumers", consumer, "sessions"],
            body: device.map { ["deviceId": .string($0)] } ?? [:]
        )
        return try #require(response.body["sessionToken"].string)
    }

    /// Runs another subcommand against it, given with its arguments, and waits for its end.
    func verb(_ arguments: [String]) async throws -> (exit: ChildProcess.Exit, output: [String], errors: [String]) {
        let verb = try ChildProcess(
            "switchboard",
            arguments + ["--server", url, "--admin-token-file", dataDirectory + "/admin-token"]
        )
        return (try await verb.ended(), verb.output, verb.errors)
    }
}
