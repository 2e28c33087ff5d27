import Foundation

/// A real `switchboard serve` on the loopback address.
package struct GatewayProcess: Sendable {
    /// The process.
    package let process: ChildProcess
    /// `http://host:port`.
    package let url: String
    /// The operator's token: secret.
    package let adminToken: String
    /// The data directory.
    package let dataDirectory: String

    /// Starts a gateway and waits until it is ready.
    ///
    /// The parent of its data directory `data` is `directory`. Port 0 chooses a free one; `outgoing.allowLoopback` is
    /// on by default. A `runner` is a program with arguments that runs it, such as a tracer; ``process`` is then the
    /// runner's.
    package static func start(
        in directory: TemporaryDirectory,
        listen: String = "127.0.0.1:0",
        trustRoots: String? = nil,
        arguments: [String] = [],
        environment: [String: String] = [:],
        under runner: [String] = []
    ) async throws -> GatewayProcess {
        let data = directory.path("data")
        // Receivers and identity providers of the tests are on this host.
        var variables = ["SWITCHBOARD_OUTGOING_ALLOW_LOOPBACK": "true"].merging(environment) { $1 }
        if let trustRoots { variables["SWITCHBOARD_PROVIDER_TRUST_ROOTS"] = trustRoots }
        let serve = ["serve", "--listen", listen, "--data-dir", data] + arguments
        let process = try ChildProcess(
            runner.first ?? "switchboard",
            runner.isEmpty
                ? serve : runner.dropFirst() + [ChildProcess.binaries.appending(path: "switchboard").path()] + serve,
            environment: variables
        )
        let url = try await process.line("listening on ")
        let token = try String(contentsOfFile: data + "/admin-token", encoding: .utf8)
        return GatewayProcess(
            process: process,
            url: url,
            adminToken: token.trimmingCharacters(in: .whitespacesAndNewlines),
            dataDirectory: data
        )
    }

    /// The port that it listens on.
    package var port: Int { url.split(separator: ":").last.flatMap { Int($0) } ?? 0 }
}
