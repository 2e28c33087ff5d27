import ArgumentParser
import GatewayClient

/// Lists consumers.
struct ConsumersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consumers",
        abstract: "List the consumers whom no push reaches.",
        discussion: "EXAMPLE\n  switchboard consumers unreachable acme --unread-older-than-hours 48",
        subcommands: [Unreachable.self]
    )

    struct Unreachable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the consumers with unread messages and without an active device.",
            discussion: """
                A page may be short, even empty, with another after it; --all reads them all. --csv writes all for a \
                spreadsheet. If it fails, the output is incomplete.

                EXAMPLES
                  switchboard consumers unreachable acme --all
                  switchboard consumers unreachable acme --csv
                """
        )
        @OptionGroup var options: ClientOptions
        @OptionGroup var page: PagedList
        @Argument(help: "The brand.") var brand: String
        @Option(help: ArgumentHelp("The least age of the oldest unread message; 24 by default.", valueName: "hours"))
        var unreadOlderThanHours: Int?
        @Flag(help: "All as CSV with a header.") var csv = false

        func validate() throws {
            if csv, options.json || page.all || page.cursor != nil {
                throw ValidationError("--csv cannot be combined with --json, --all or --cursor.")
            }
        }

        func run() async throws {
            let path = ["v1", "brands", brand, "unreachable"]
            let query = [("unreadOlderThanHours", unreadOlderThanHours.map { String($0) })]
            guard !csv else {
                return try await options.client().download(path + ["export"], query: query + [("format", "csv")]) {
                    StandardOutput.write(bytes: $0)
                }
            }
            let columns: [(title: String, member: String)] = [
                ("CONSUMER", "consumer"), ("UNREAD", "unread"), ("SINCE", "unreadSince"),
            ]
            try await page.show(options, path, query: query, columns: columns)
        }
    }
}
