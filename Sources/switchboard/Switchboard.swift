import ArgumentParser
import Foundation
import Gateway
import GatewayClient

/// The root command; all functions are subcommands.
@main
struct Switchboard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switchboard",
        abstract: "A self-hosted push notification and messaging gateway for contact centres.",
        discussion: """
            EXIT CODES
              \(ProcessStatus.help.replacing("\n", with: "\n  "))

            apply, export, brand, app, credential, hook, operator, device, consumers, send, deliveries, search, explain, lane, stats, top, \
            outbound, audit and clock use the HTTP API of a running gateway: --server URL (or \(ClientEnvironment.server)), --admin-token-file FILE (or \
            \(ClientEnvironment.adminToken), the token itself). With --json they print the gateway's response on \
            one line; lists with --all, streams and files of events print one object per line.

            EXAMPLE
              switchboard brand create acme --name "Acme Shop"
            """,
        version: Version.text,
        subcommands: [
            ServeCommand.self, CheckCommand.self, MigrateCommand.self, BackupCommand.self, VerifyCommand.self,
            RestoreCommand.self, MasterKeyCommand.self, DemoCommand.self, ApplyCommand.self, ExportCommand.self,
            BrandCommand.self, AppCommand.self, CredentialCommand.self, HookCommand.self, OperatorCommand.self,
            DeviceCommand.self, ConsumersCommand.self, SendCommand.self, DeliveriesCommand.self, SearchCommand.self,
            ExplainCommand.self, LaneCommand.self, StatsCommand.self, TopCommand.self, OutboundCommand.self,
            AuditCommand.self, ClockCommand.self, CompletionCommand.self,
        ]
    )

    /// Runs the command that the arguments name and ends the process with one of ``ProcessStatus``.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            StandardError.write("switchboard: \(failure.message)")
            Foundation.exit(failure.status.rawValue)
        } catch let error as SettingsError {
            StandardError.write("switchboard: \(error)")
            Foundation.exit(ProcessStatus.usage.rawValue)
        } catch {
            let isHelp = exitCode(for: error) == .success
            let text = fullMessage(for: error)
            if !text.isEmpty {
                if isHelp { print(text) } else { StandardError.write(text) }
            }
            // Of `apply --plan`, the status of wrong arguments means differences.
            let isPlan = Set(ProcessInfo.processInfo.arguments).isSuperset(of: ["apply", "--plan"])
            let isUsage = exitCode(for: error) == .validationFailure && !isPlan
            Foundation.exit((isHelp ? ProcessStatus.ok : isUsage ? .usage : .failure).rawValue)
        }
    }
}
