import ArgumentParser

/// Lists of the API with `limit` and `cursor`.
struct PagedList: ParsableArguments {
    @Option(help: ArgumentHelp("At most this many, 1 to 500.", valueName: "n"))
    var limit = 50

    @Option(help: ArgumentHelp("Where to go on: `nextCursor` of the page before.", valueName: "cursor"))
    var cursor: String?

    @Flag(help: "Every page; with --json an item a line.")
    var all = false

    /// Gets and prints what is wanted.
    ///
    /// - Parameters:
    ///   - options: Where from, and in which form.
    ///   - path: The list.
    ///   - query: Its filters.
    ///   - columns: For people.
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
            // A line as soon as it is there: nothing is held of lists that are long.
            case (true, true): for item in body["items"].items { StandardOutput.write(item.text) }
            case (_, false): items += body["items"].items
            }
        } while all && next != nil
        guard !options.json else { return }
        StandardOutput.write(TextTable(items, columns: columns).text)
        if let next { StandardError.write("more: --cursor \(next)") }
    }
}
