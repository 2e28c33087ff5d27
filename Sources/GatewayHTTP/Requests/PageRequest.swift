internal import FoundationEssentials

/// Which page of a list is wanted (`http-api.md` section 1).
struct PageRequest: Sendable {
    /// At most this many, 1 to 500.
    let limit: Int
    /// What the cursor says, decoded; nil begins at the start.
    let after: String?

    /// Reads `limit` and `cursor`; throws 422 when one of them is wrong.
    init(_ query: QueryParameters) throws(Problem) {
        limit = Int(try query.integer("limit", in: 1...500) ?? 50)
        guard let text = try query.text("cursor") else {
            after = nil
            return
        }
        guard text.utf8.count <= 1024, let after = Self.decode(text) else { throw Self.badCursor }
        self.after = after
    }

    static let badCursor = Problem(invalid: "/cursor", "is not a cursor of this list")

    /// The cursor for what comes after an item.
    static func cursor(after item: String) -> String {
        String(
            Data(item.utf8).base64EncodedString().compactMap { character -> Character? in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            }
        )
    }

    private static func decode(_ cursor: String) -> String? {
        var standard = String(cursor.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: standard), !data.isEmpty,
            let text = String(validating: data, as: UTF8.self), Self.cursor(after: text) == cursor
        else { return nil }
        return text
    }

    /// The page of a list that is held in memory.
    ///
    /// - Parameters:
    ///   - items: All items, sorted by the bytes of their keys.
    ///   - key: What an item is sorted by, unique.
    /// - Returns: The items of the page, and the cursor of the next one if there is one.
    func page<Item>(of items: [Item], by key: (Item) -> String) -> (items: ArraySlice<Item>, next: String?) {
        let start = after.map { after in items.firstIndex { key($0) > after } ?? items.endIndex } ?? items.startIndex
        let page = items[start...].prefix(limit)
        let next = page.endIndex < items.endIndex ? page.last.map { Self.cursor(after: key($0)) } : nil
        return (page, next)
    }
}
