import ArgumentParser

/// The benchmark driver.
@main
struct SwitchboardBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switchboard-bench",
        abstract: "Measures what Switchboard costs: CPU a notification, latency, memory.",
        discussion: """
            Times depend on the machine; what must be reached is CPU on two cores, and ratios against something run beside it.
            Build with 'Deploy/release.sh' first.
            """,
        subcommands: [
            RunCommand.self, SenderCommand.self, IntakeCommand.self, BareRouteCommand.self,
            HTTPClientPeerCommand.self, AttackerCommand.self,
        ],
        defaultSubcommand: RunCommand.self
    )
}
