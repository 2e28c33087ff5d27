import ArgumentParser
import GatewayClient

/// The outbound feed.
struct OutboundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbound",
        abstract: "Read a subscription of a brand's outbound feed, or move its mark.",
        discussion: """
            EXAMPLES
              switchboard outbound read acme crm --limit 10
              switchboard outbound ack acme crm 4711
            """,
        subcommands: [Read.self, Ack.self]
    )

    struct Read: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the items after a subscription's mark; reading does not move it.",
            discussion: "EXAMPLE\n  switchboard outbound read acme crm --wait-seconds 20 --json"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The subscription; a new one begins at the end of the feed.") var subscription: String
        @Option(help: "Only after this position; default: after the subscription's mark.") var after: String?
        @Option(help: ArgumentHelp("At most this many.", valueName: "n")) var limit: Int?
        @Option(help: ArgumentHelp("Wait up to n seconds for the first item.", valueName: "n")) var waitSeconds: Int?
        @Option(help: ArgumentHelp("Only these types, comma-separated.", valueName: "types")) var types: String?
        @Option(help: "start: a new subscription begins at the start of the feed.") var from: String?

        func run() async throws {
            let response = try await options.client().call(
                "GET",
                ["v1", "brands", brand, "outbound", subscription],
                query: [
                    ("after", after), ("limit", limit.map { String($0) }),
                    ("waitSeconds", waitSeconds.map { String($0) }), ("types", types), ("from", from),
                ]
            )
            guard !options.json else {
                for item in response.body["items"].items { StandardOutput.write(item.text) }
                return
            }
            let columns = [("POSITION", "position"), ("TIME", "time"), ("TYPE", "type"), ("DATA", "data")]
            StandardOutput.write(TextTable(response.body["items"].items, columns: columns).text)
        }
    }

    struct Ack: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Move a subscription's mark: everything up to it has been processed.",
            discussion: "EXAMPLE\n  switchboard outbound ack acme crm 4711"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The subscription.") var subscription: String
        @Argument(help: "The last processed position.") var upTo: Int64

        func run() async throws {
            let response = try await options.client().call(
                "POST",
                ["v1", "brands", brand, "outbound", subscription, "ack"],
                body: ["upTo": .integer(upTo)]
            )
            StandardOutput.write(options.json ? response.body.text : "\(brand)/\(subscription) is at \(upTo)")
        }
    }
}
