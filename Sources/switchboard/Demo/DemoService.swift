import GatewayClient
import ServiceLifecycle

/// Runs the demonstration once the gateway listens; when it ends, the gateway stops.
struct DemoService: Service {
    /// Yields the gateway's address once it listens.
    let addresses: AsyncStream<ListenAddress>
    /// Whether to end after the demonstration.
    let once: Bool
    /// The participants.
    let stage: DemoStage

    func run() async throws {
        guard let address = await addresses.first(where: { _ in true }) else { return }
        let server = "http://\(address)"
        let story = DemoStory(
            stage: stage,
            admin: APIClient(server: server, bearer: try stage.adminToken()),
            show: { StandardOutput.write($0) }
        )
        let outcome = try await story.tell()
        if once {
            StandardOutput.write("\nAll steps succeeded.")
            return
        }
        StandardOutput.write(stage.hints(server: server, outcome: outcome))
        try? await gracefulShutdown()
    }
}
