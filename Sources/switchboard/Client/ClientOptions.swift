import ArgumentParser
import Foundation
import Gateway
import GatewayClient

/// The options of every subcommand that uses the HTTP API.
struct ClientOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The gateway's URL.", valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "The file with the admin token. Without it: $\(ClientEnvironment.adminToken), then data/admin-token.",
            valueName: "file"
        )
    )
    var adminTokenFile: String?

    @Flag(help: "Print the gateway's response as JSON, unchanged.")
    var json = false

    /// Makes a client with the admin token; throws ``CommandFailure`` when there is no token.
    func client() throws -> APIClient {
        let environment = ProcessInfo.processInfo.environment
        var url = server ?? environment[ClientEnvironment.server] ?? "http://127.0.0.1:8080"
        while url.hasSuffix("/") { url.removeLast() }
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw CommandFailure(.usage, "--server must be an http or https URL, not \(url)")
        }
        return APIClient(server: url, bearer: try token(environment))
    }

    /// Requests a resource and prints it as JSON; throws ``CommandFailure``.
    func show(_ path: [String], query: [(String, String?)] = []) async throws {
        StandardOutput.write(try await client().call("GET", path, query: query).body.text)
    }

    private func token(_ environment: [String: String]) throws -> String {
        if adminTokenFile == nil, let token = environment[ClientEnvironment.adminToken], !token.isEmpty { return token }
        let named = adminTokenFile ?? environment[SettingKey.serverAdminTokenFile.environmentName]
        let path = named ?? "\(ServerSettings().dataDir)/\(DataDirectory.adminTokenName)"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandFailure(
                .usage,
                "no admin token: \(path) cannot be read; name its file with --admin-token-file, or set "
                    + "\(ClientEnvironment.adminToken)"
            )
        }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw CommandFailure(.usage, "\(path) does not hold an admin token")
        }
        return token
    }
}
