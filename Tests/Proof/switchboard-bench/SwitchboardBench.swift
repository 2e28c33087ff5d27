import ArgumentParser

/// The benchmark driver.
@main
struct SwitchboardBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switchboard-bench",
        abstract: "Measures the cost of Switchboard: CPU per notification, latency, memory.",
        discussion: """
            Times depend on the host; limits apply to CPU on two cores, and to ratios against a reference in the same \
            run.
            Build with 'Deploy/release.sh' first.
            """,
        subcommands: [
            RunCommand.self, SenderCommand.self, IntakeCommand.self, BareRouteCommand.self, AttackerCommand.self,
        ],
        defaultSubcommand: RunCommand.self
    )
}
