import ArgumentParser
import Foundation
import GatewayClient

/// Lists, follows and retries deliveries.
struct DeliveriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deliveries",
        abstract: "List, group, follow, export, retry or replay a brand's deliveries.",
        discussion: """
            EXAMPLES
              switchboard deliveries acme --state failed --since 2026-01-02T00:00:00Z
              switchboard deliveries acme --follow --json
              switchboard deliveries export acme --state failed --csv
              switchboard deliveries retry acme 4711
              switchboard deliveries replay acme --since 2026-01-02T00:00:00Z --dry-run
            """,
        subcommands: [List.self, Failures.self, Export.self, Retry.self, Replay.self],
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

    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Requeue the failed deliveries of a period.",
            discussion: """
                Without --since, those of the last day. --dry-run sends nothing and shows what would be sent. With --json it \
                prints a response per line. After an interruption the same command continues: what was requeued is no longer \
                failed, unless it failed again.

                EXAMPLE
                  switchboard deliveries replay acme --since 2026-01-02T00:00:00Z --reason InternalServerError --dry-run
                """
        )
        @OptionGroup var options: ClientOptions
        @OptionGroup var filters: DeliveryFilters
        @Argument(help: "The brand.") var brand: String
        @Option(help: "Only of this app.") var app: String?
        @Flag(help: "Send nothing.") var dryRun = false

        func run() async throws {
            let client = try options.client()
            var progress = Progress(isAsked: false)
            var counts: [[String]: Int64] = [:]
            func count(_ result: String, _ why: String, _ number: JSONValue) {
                // A reason is any text of a provider.
                let key = counts.count < 1000 || counts[[result, why]] != nil ? [result, why] : [result, "others"]
                counts[key, default: 0] += number.integer ?? 0
            }
            var (examined, sent, cursor): (Int64, Int64, String?) = (0, 0, nil)
            repeat {
                let page = try await client.call(
                    "POST",
                    ["v1", "brands", brand, "deliveries", "replay"],
                    query: filters.query + [
                        ("app", app), ("dryRun", String(dryRun)), ("limit", "100"), ("cursor", cursor),
                    ]
                ).body
                if options.json { StandardOutput.write(page.text) }
                examined += page["examined"].integer ?? 0
                sent += page["count"].integer ?? 0
                for group in page["items"].items {
                    let words = ["provider", "app", "status", "reason"].map { group[$0].plain }.filter { !$0.isEmpty }
                    count(dryRun ? "would be sent" : "sent", words.joined(separator: " "), group["count"])
                }
                for rejected in page["rejected"].items {
                    count("not sent", rejected["detail"].plain, rejected["count"])
                }
                cursor = page["nextCursor"].string
                let word = dryRun ? "would be requeued" : "requeued"
                progress.say("\(examined) examined, \(sent) \(word)", isLast: cursor == nil)
            } while cursor != nil
            guard !options.json else { return }
            let items = counts.sorted { ($1.value, $0.key[1]) < ($0.value, $1.key[1]) }.map { key, count -> JSONValue in
                ["count": .integer(count), "result": .string(key[0]), "why": .string(key[1])]
            }
            let columns = [(title: "COUNT", member: "count"), ("RESULT", "result"), ("FAILURE OR REASON", "why")]
            StandardOutput.write(TextTable(items, columns: columns).text)
        }
    }
}
