import ArgumentParser

/// Proves that nothing accepted is lost.
@main
struct SwitchboardProof: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switchboard-proof",
        abstract: "Proves that nothing accepted is lost: by simulation, and by killing real processes.",
        subcommands: [SimulateCommand.self, CrashCommand.self]
    )
}
