import ArgumentParser

/// Counts and latencies of a brand.
struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show a brand's deliveries in numbers: by state, provider and reason, and how long they took.",
        discussion: """
            EXAMPLES
              switchboard stats acme --window 24h
              switchboard stats acme --campaign spring
            """
    )
    @OptionGroup var options: ClientOptions
    @Argument(help: "The brand.") var brand: String
    @Option(help: ArgumentHelp("The last minutes, hours or days: 15m, 1h, 7d.", valueName: "time"))
    var window: String?
    @Option(help: "What became of this campaign, from its first message on, instead of a window of time.")
    var campaign: String?

    func validate() throws {
        guard window == nil || campaign == nil else {
            throw ValidationError("--campaign counts from the campaign's first message on: it takes no --window.")
        }
    }

    func run() async throws {
        let client = try options.client()
        let answer =
            if let campaign {
                try await client.call("GET", ["v1", "brands", brand, "campaigns", campaign])
            } else {
                try await client.call("GET", ["v1", "brands", brand, "stats"], query: [("window", window ?? "1h")])
            }
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
