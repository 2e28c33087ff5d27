import ArgumentParser

/// Lists of the API with `limit` and `cursor`.
struct PagedList: ParsableArguments {
    @Option(help: ArgumentHelp("At most this many, 1 to 500.", valueName: "n"))
    var limit = 50

    @Option(help: ArgumentHelp("Where to go on: `nextCursor` of the page before.", valueName: "cursor"))
    var cursor: String?

    /// The query's pairs.
    var query: [(String, String?)] { [("limit", String(limit)), ("cursor", cursor)] }

    /// Prints a page.
    ///
    /// - Parameters:
    ///   - body: `{"items", "nextCursor"}`.
    ///   - json: As it is.
    ///   - columns: For people.
    static func show(_ body: JSONValue, json: Bool, columns: [(title: String, member: String)]) {
        if json {
            StandardOutput.write(body.text)
            return
        }
        StandardOutput.write(TextTable(body["items"].items, columns: columns).text)
        if let next = body["nextCursor"].string { StandardError.write("more: --cursor \(next)") }
    }
}
