import ArgumentParser
import Foundation
import GatewayClient

/// Lists, follows and retries deliveries.
struct DeliveriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deliveries",
        abstract: "List, group, follow, export or retry a brand's deliveries.",
        discussion: """
            EXAMPLES
              switchboard deliveries acme --state failed --since 2026-01-02T00:00:00Z
              switchboard deliveries acme --follow --json
              switchboard deliveries export acme --state failed --csv
              switchboard deliveries retry acme 4711
            """,
        subcommands: [List.self, Failures.self, Export.self, Retry.self],
        defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List deliveries, newest first, show one with its attempts, or follow them as they change.",
            discussion: """
                --follow prints each change as it happens, with --json one object per line, until it is interrupted. \
                After a broken connection it reconnects and continues after the last printed change.

                EXAMPLE
                  switchboard deliveries acme --consumer u-1 --follow
                """
        )
        @OptionGroup var options: ClientOptions
        @OptionGroup var page: PagedList
        @OptionGroup var filters: DeliveryFilters
        @Argument(help: "The brand.") var brand: String
        @Option(help: "Show one delivery with all its attempts, as JSON.") var id: String?
        @Flag(help: "Print changes as they happen, until interrupted.") var follow = false

        func validate() throws {
            if follow, id != nil || page.all || page.cursor != nil {
                throw ValidationError("--follow cannot be combined with --id, --all or --cursor.")
            }
        }

        func run() async throws {
            let path = ["v1", "brands", brand, "deliveries"]
            if let id {
                StandardOutput.write(try await options.client().call("GET", path + [id]).body.text)
            } else if follow {
                try await follow(path)
            } else {
                try await page.show(options, path, query: filters.query, columns: TextTable.deliveryColumns)
            }
        }

        private func follow(_ path: [String]) async throws {
            let interruption = Interruption()
            defer { withExtendedLifetime(interruption) {} }
            let client = try options.client()
            let reader = EventStreamReader(client: client, path: path + ["tail"], query: filters.query)
            try await reader.follow { note in
                StandardError.write("switchboard: \(note)")
            } take: { event in
                guard let item = try? JSONValue(parsing: Data(event.data.utf8)) else {
                    throw CommandFailure(.failure, "\(client.server) sent an event that is not JSON")
                }
                StandardOutput.write(options.json ? item.text : Self.line(item))
                return true
            }
        }

        /// Returns one delivery as a line, not in columns: their widths depend on later deliveries.
        private static func line(_ item: JSONValue) -> String {
            let words = [
                "queuedAt", "id", "consumer", "deviceId", "provider", "state", "status", "reason", "suppressedBy",
            ]
            return TextTable.printable(words.map { item[$0].plain }.filter { !$0.isEmpty }.joined(separator: " "))
        }
    }

    struct Failures: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Group failed deliveries by provider, app, status and reason.",
            discussion: """
                Without --since, those of the last day.

                EXAMPLE
                  switchboard deliveries failures acme --since 2026-01-02T00:00:00Z
                """
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Option(help: ArgumentHelp("Only queued at or after, RFC 3339.", valueName: "time")) var since: String?
        @Option(help: ArgumentHelp("Only queued before, RFC 3339.", valueName: "time")) var until: String?

        func run() async throws {
            let body = try await options.client().call(
                "GET",
                ["v1", "brands", brand, "deliveries", "failures"],
                query: [("since", since), ("until", until)]
            ).body
            guard !options.json else { return StandardOutput.write(body.text) }
            let columns: [(title: String, member: String)] = [
                ("COUNT", "count"), ("PROVIDER", "provider"), ("APP", "app"), ("STATUS", "status"),
                ("REASON", "reason"),
                ("FIRST", "firstAt"), ("LAST", "lastAt"), ("EXAMPLE", "example"),
            ]
            StandardOutput.write(TextTable(body["items"].items, columns: columns).text)
            if body["isWhole"] == .bool(false) {
                StandardError.write("only the newest failures are counted, back to \(body["oldestAt"].plain)")
            }
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write all deliveries of a filter to standard output, newest first.",
            discussion: """
                One JSON object per line, or CSV for a spreadsheet. If it fails, the output is incomplete.

                EXAMPLE
                  switchboard deliveries export acme --since 2026-01-02T00:00:00Z --csv
                """
        )
        @OptionGroup var options: ClientOptions
        @OptionGroup var filters: DeliveryFilters
        @Argument(help: "The brand.") var brand: String
        @Flag(help: "CSV with a header instead of JSON.") var csv = false

        func validate() throws {
            if csv, options.json { throw ValidationError("--csv cannot be combined with --json.") }
        }

        func run() async throws {
            let format: [(String, String?)] = [("format", csv ? "csv" : "ndjson")]
            try await options.client().download(
                ["v1", "brands", brand, "deliveries", "export"],
                query: filters.query + format
            ) { StandardOutput.write(bytes: $0) }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Requeue a failed delivery.",
            discussion: "EXAMPLE\n  switchboard deliveries retry acme 4711"
        )
        @OptionGroup var options: ClientOptions
        @Argument(help: "The brand.") var brand: String
        @Argument(help: "The delivery's id.") var id: String

        func run() async throws {
            let response = try await options.client()
                .call("POST", ["v1", "brands", brand, "deliveries", id, "retry"])
            StandardOutput.write(options.json ? response.body.text : "delivery \(id) requeued")
        }
    }
}
