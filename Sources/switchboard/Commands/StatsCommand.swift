import ArgumentParser
import GatewayClient

/// Counts and latencies of a brand.
struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show delivery counts of a brand by state, provider and reason, and latencies.",
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
    @Option(help: "Statistics of this campaign since its first message, instead of a window of time.")
    var campaign: String?

    func validate() throws {
        guard window == nil || campaign == nil else {
            throw ValidationError("--campaign counts from the campaign's first message; do not give --window.")
        }
    }

    func run() async throws {
        let client = try options.client()
        let response =
            if let campaign {
                try await client.call("GET", ["v1", "brands", brand, "campaigns", campaign])
            } else {
                try await client.call("GET", ["v1", "brands", brand, "stats"], query: [("window", window ?? "1h")])
            }
        StandardOutput.write(options.json ? response.body.text : Self.lines(response.body, "").joined(separator: "\n"))
    }

    /// Returns one line per number with its name, including members that later versions add.
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
