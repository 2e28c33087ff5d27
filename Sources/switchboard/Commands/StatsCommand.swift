import ArgumentParser

/// Counts and latencies of a brand.
struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show a brand's deliveries in numbers: by state, provider and reason, and how long they took.",
        discussion: "EXAMPLE\n  switchboard stats acme --window 24h"
    )
    @OptionGroup var options: ClientOptions
    @Argument(help: "The brand.") var brand: String
    @Option(help: ArgumentHelp("The last minutes, hours or days: 15m, 1h, 7d.", valueName: "time"))
    var window = "1h"

    func run() async throws {
        let answer = try await options.client()
            .call("GET", ["v1", "brands", brand, "stats"], query: [("window", window)])
        StandardOutput.write(options.json ? answer.body.text : Self.lines(answer.body, "").joined(separator: "\n"))
    }

    /// Every number with its name, a line each, whatever the answer of later versions holds.
    static func lines(_ value: JSONValue, _ name: String) -> [String] {
        switch value {
        case .object(let members):
            members.keys.sorted().flatMap { lines(members[$0] ?? .null, name.isEmpty ? $0 : "\(name).\($0)") }
        case .array(let items): items.enumerated().flatMap { lines($1, "\(name).\($0)") }
        case .null: ["\(name)  -"]
        default: ["\(name)  \(TextTable.printable(value.plain))"]
        }
    }
}
