import Foundation
import Testing

@testable import switchboard

/// A real `switchboard serve` on a free port of the loopback address.
struct GatewayProcess {
    let process: ChildProcess
    let url: String
    let admin: APIClient
    let dataDirectory: String

    /// Starts one and waits until it is ready.
    ///
    /// - Parameters:
    ///   - directory: Where its data directory is.
    ///   - trustRoots: The simulator's authority.
    ///   - arguments: Further flags.
    ///   - environment: Further settings.
    /// - Returns: The gateway.
    /// - Throws: When it ends instead.
    static func start(
        in directory: TemporaryDirectory,
        trustRoots: String? = nil,
        arguments: [String] = [],
        environment: [String: String] = [:]
    ) async throws -> GatewayProcess {
        let data = directory.path("data")
        var variables = environment
        if let trustRoots { variables["SWITCHBOARD_PROVIDER_TRUST_ROOTS"] = trustRoots }
        let process = try ChildProcess(
            "switchboard",
            ["serve", "--listen", "127.0.0.1:0", "--data-dir", data] + arguments,
            environment: variables
        )
        let url = try await process.line("listening on ")
        let token = try String(contentsOfFile: data + "/admin-token", encoding: .utf8)
        let admin = APIClient(server: url, bearer: token.trimmingCharacters(in: .whitespacesAndNewlines))
        return GatewayProcess(process: process, url: url, admin: admin, dataDirectory: data)
    }

    /// A consumer's session token.
    ///
    /// - Parameters:
    ///   - consumer: The consumer.
    ///   - device: The device that it is bound to.
    ///   - brand: The brand.
    /// - Returns: The token.
    /// - Throws: When the gateway refuses.
    func session(_ consumer: String, device: String? = nil, brand: String = "acme") async throws -> String {
        let answer = try await admin.call(
            "POST",
            ["v1", "brands", brand, "consumers", consumer, "sessions"],
            body: device.map { ["deviceId": .string($0)] } ?? [:]
        )
        return try #require(answer.body["sessionToken"].string)
    }

    /// Runs another verb against it and waits for its end.
    ///
    /// - Parameter arguments: The verb and what it takes.
    /// - Returns: How it ended and what it printed.
    /// - Throws: When it cannot be started.
    func verb(_ arguments: [String]) async throws -> (exit: ChildProcess.Exit, output: [String], errors: [String]) {
        let verb = try ChildProcess(
            "switchboard",
            arguments + ["--server", url, "--admin-token-file", dataDirectory + "/admin-token"]
        )
        return (try await verb.ended(), verb.output, verb.errors)
    }
}
