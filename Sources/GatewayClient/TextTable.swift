/// A table in text columns.
package struct TextTable {
    /// The columns of a list of deliveries.
    package static let deliveryColumns: [(title: String, member: String)] = [
        ("ID", "id"), ("QUEUED", "queuedAt"), ("CONSUMER", "consumer"), ("DEVICE", "deviceId"),
        ("PROVIDER", "provider"), ("STATE", "state"), ("TRIES", "attempts"), ("STATUS", "status"),
        ("REASON", "reason"), ("MS", "latencyMs"), ("BADGE", "badge"), ("TAPPED", "tappedAt"),
        ("WITHDRAWN", "suppressedBy"),
    ]

    /// The names of the columns.
    var header: [String]
    /// The cells of each row.
    var rows: [[String]] = []

    /// The table as lines; columns are as wide as their widest cell, control characters become blanks.
    package var text: String {
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

    /// Makes a table of JSON objects; columns have a title and name the member that they show, with dots between nested
    /// members.
    package init(_ items: [JSONValue], columns: [(title: String, member: String)]) {
        header = columns.map(\.title)
        rows = items.map { item in columns.map { Self.cell(item, $0.member) } }
    }

    private static func cell(_ item: JSONValue, _ member: String) -> String {
        let value = member.split(separator: ".").reduce(item) { $0[String($1)] }
        let texts = value.items.compactMap(\.string)
        return !texts.isEmpty && texts.count == value.items.count ? texts.joined(separator: ",") : value.plain
    }

    /// Returns a text on one line, with blanks for terminal control characters.
    package static func printable(_ cell: String) -> String {
        String(cell.map { $0.isNewline || $0.unicodeScalars.contains(where: isControl) ? " " : $0 })
    }

    /// Whether a terminal interprets the character, or it changes text direction (Unicode UAX 9 section 2).
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
