/// Rows in columns, for people.
struct TextTable {
    /// The names of the columns.
    var header: [String]
    /// The cells of each row.
    var rows: [[String]] = []

    /// The table as lines; columns are as wide as their widest cell, and control characters are shown as blanks.
    var text: String {
        let all = ([header] + rows).map { row in row.map(Self.printable) }
        let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }

    /// A table of JSON objects.
    ///
    /// - Parameters:
    ///   - items: The objects.
    ///   - columns: The names of the columns and the members that they show.
    init(_ items: [JSONValue], columns: [(title: String, member: String)]) {
        header = columns.map(\.title)
        rows = items.map { item in columns.map { item[$0.member].plain } }
    }

    private static func printable(_ cell: String) -> String {
        String(cell.map { $0.isNewline || ($0.asciiValue.map { $0 < 0x20 || $0 == 0x7F } ?? false) ? " " : $0 })
    }
}
