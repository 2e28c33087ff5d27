import ArgumentParser
import GatewayClient
import Testing

@testable import switchboard

@Suite("Help and completion")
struct VerbHelpTests {
    /// A command with its words.
    struct Verb: Sendable, CustomTestStringConvertible {
        var words: [String]
        var type: any ParsableCommand.Type

        var testDescription: String { words.joined(separator: " ") }
    }

    private static func verbs(_ type: any ParsableCommand.Type, _ words: [String]) -> [Verb] {
        let configuration = type.configuration
        let name = configuration.commandName ?? "\(type)".lowercased()
        return [Verb(words: words + [name], type: type)]
            + configuration.subcommands.flatMap { verbs($0, words + [name]) }
    }

    private static let all = verbs(Switchboard.self, [])
    private static let shown = all.filter { $0.type.configuration.shouldDisplay }

    @Test("the commands are those of the Operating page")
    func names() {
        let names = Set(Self.all.map { $0.words.dropFirst().joined(separator: " ") })
        for verb in [
            "serve", "check", "migrate", "backup", "verify", "restore", "brand create", "brand update", "app put",
            "app preview", "app self-check", "credential create", "credential list", "credential show",
            "credential revoke", "consumers unreachable", "device register", "device import", "send", "deliveries list",
            "deliveries retry",
            "deliveries replay",
            "stats", "top",
            "outbound read", "outbound ack", "audit", "clock show", "clock accept", "completion", "apply",
            "export brand", "hook put", "hook list", "hook show", "hook reply", "hook try", "hook delete",
            "operator create", "operator list", "operator show", "operator update", "operator delete",
        ] {
            #expect(names.contains(verb), "\(verb)")
        }
    }

    @Test("every command has a description and an example that names it", arguments: shown)
    func help(_ verb: Verb) {
        let help = Switchboard.helpMessage(for: verb.type, columns: 120)
        #expect(help.contains("OVERVIEW: "))
        #expect(help.contains("EXAMPLE"))
        let examples = help.split(separator: "\n").filter { $0.contains("switchboard ") && !$0.hasPrefix("USAGE") }
        let name = verb.words.dropFirst().first ?? "switchboard"
        #expect(examples.contains { $0.contains("switchboard \(name)") || name == "switchboard" })
    }

    @Test("exit codes are in the help, each once")
    func exitCodes() {
        let help = Switchboard.helpMessage(columns: 200)
        for status in ProcessStatus.allCases { #expect(help.contains("\(status.rawValue)  ")) }
        #expect(Set(ProcessStatus.allCases.map(\.text)).count == ProcessStatus.allCases.count)
    }

    @Test("no command takes a secret as an argument", arguments: all)
    func secrets(_ verb: Verb) {
        let help = Switchboard.helpMessage(for: verb.type, columns: 120)
        for option in ["--secret ", "--password ", "--client-secret ", "--admin-token "] {
            #expect(!help.contains(option), "\(option)")
        }
    }
}
