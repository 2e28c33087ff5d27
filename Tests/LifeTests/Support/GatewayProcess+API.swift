import Foundation
import GatewayClient
import ProcessHarness
import Testing

extension GatewayProcess {
    /// A client with the admin token.
    var admin: APIClient { APIClient(server: url, bearer: adminToken) }

    /// Creates a consumer's session token.
    ///
    /// - Parameters:
    ///   - consumer: The consumer.
    ///   - device: The device that it is bound to.
    ///   - brand: The brand.
    /// - Returns: The token.
    /// - Throws: An error when the gateway rejects the request.
    func session(_ consumer: String, device: String? = nil, brand: String = "acme") async throws -> String {
        let response = try await admin.call(
            "POST",
            ["v1", "brands", brand, "consumers", consumer, "sessions"],
            body: device.map { ["deviceId": .string($0)] } ?? [:]
        )
        return try #require(response.body["sessionToken"].string)
    }

    /// Runs another subcommand against it and waits for its end.
    ///
    /// - Parameter arguments: The subcommand and its arguments.
    /// - Returns: Its exit and output.
    /// - Throws: An error when it cannot be started.
    func verb(_ arguments: [String]) async throws -> (exit: ChildProcess.Exit, output: [String], errors: [String]) {
        let verb = try ChildProcess(
            "switchboard",
            arguments + ["--server", url, "--admin-token-file", dataDirectory + "/admin-token"]
        )
        return (try await verb.ended(), verb.output, verb.errors)
    }
}
