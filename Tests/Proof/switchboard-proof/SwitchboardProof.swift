import ArgumentParser

/// Proves that nothing accepted is lost.
@main
struct SwitchboardProof: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switchboard-proof",
        abstract:
            "Proves that nothing accepted is lost: by simulation, by killing real processes, and with providers that fail.",
        subcommands: [SimulateCommand.self, CrashCommand.self, FaultsCommand.self]
    )
}
