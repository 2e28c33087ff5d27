import ArgumentParser
import GatewayClient

/// The options of lists with `limit` and `cursor`.
struct PagedList: ParsableArguments {
    @Option(help: ArgumentHelp("At most this many, 1 to 500.", valueName: "n"))
    var limit = 50

    @Option(help: ArgumentHelp("Continue after this page: its `nextCursor`.", valueName: "cursor"))
    var cursor: String?

    @Flag(help: "Print all pages; with --json one item per line.")
    var all = false

    /// Requests and prints the list.
    ///
    /// - Parameters:
    ///   - options: The gateway, and the output format.
    ///   - path: The path of the list.
    ///   - query: Its filters.
    ///   - columns: The columns of the table.
    /// - Throws: ``CommandFailure``.
    func show(
        _ options: ClientOptions,
        _ path: [String],
        query: [(String, String?)] = [],
        columns: [(title: String, member: String)]
    ) async throws {
        let client = try options.client()
        var next = cursor
        var items: [JSONValue] = []
        repeat {
            let pages = [("limit", String(all ? 500 : limit)), ("cursor", next)]
            let body = try await client.call("GET", path, query: query + pages).body
            next = body["nextCursor"].string
            switch (all, options.json) {
            case (false, true): return StandardOutput.write(body.text)
            // Each line is printed at once: long lists are not kept in memory.
            case (true, true): for item in body["items"].items { StandardOutput.write(item.text) }
            case (_, false): items += body["items"].items
            }
        } while all && next != nil
        guard !options.json else { return }
        StandardOutput.write(TextTable(items, columns: columns).text)
        if let next { StandardError.write("more: --cursor \(next)") }
    }
}
