import GatewayClient
import ServiceLifecycle

/// Runs the demonstration once the gateway listens; when it ends, the gateway stops.
struct DemoService: Service {
    /// Yields the gateway's URL once it listens.
    let urls: AsyncStream<String>
    /// Whether to end after the demonstration.
    let once: Bool
    /// The file for a phone in the terminal; nil for none.
    let phone: String?
    /// The participants.
    let environment: DemoEnvironment
    /// The directory of the program `switchboard`.
    let programs: String

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await runScenario() }
        } catch {
            // A signal cancels the request in progress, which then fails.
            guard Task.isShuttingDownGracefully else { throw error }
        }
    }

    private func runScenario() async throws {
        guard let server = await urls.first(where: { _ in true }) else { return }
        let scenario = DemoScenario(
            environment: environment,
            admin: APIClient(server: server, bearer: environment.adminToken),
            show: { StandardOutput.write($0) }
        )
        let outcome = try await scenario.run()
        if once {
            StandardOutput.write("\nAll steps succeeded.")
            return
        }
        StandardOutput.write(environment.hints(server: server, outcome: outcome, programs: programs))
        if let phone { try await scenario.write(phone: phone, outcome) }
        try? await gracefulShutdown()
    }
}
