import ArgumentParser
import GatewayClient

/// Completion scripts.
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Print the completion script of a shell.",
        discussion: """
            EXAMPLES
              switchboard completion bash > /etc/bash_completion.d/switchboard
              switchboard completion zsh > "${fpath[1]}/_switchboard"
              switchboard completion fish > ~/.config/fish/completions/switchboard.fish
            """
    )

    /// The shells that completion scripts exist for.
    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    @Argument(help: "bash, zsh or fish.") var shell: Shell

    func run() throws {
        let wanted: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        StandardOutput.write(Switchboard.completionScript(for: wanted))
    }
}
