internal import TextFormats

/// The requested page of a list (APIConventions page).
struct PageRequest: Sendable {
    /// The maximum number of items, 1 to 500.
    let limit: Int
    /// The position of the cursor; nil begins at the start.
    let after: String?

    private let seal: CursorSeal
    private let list: String

    /// Reads `limit` and `cursor`; throws 422 when one of them is invalid.
    ///
    /// A cursor is valid only for the path and the filters that it was returned for: with others it would skip items.
    init(_ query: QueryParameters, path: String, seal: CursorSeal) throws(Problem) {
        limit = Int(try query.integer("limit", in: 1...500) ?? 50)
        list = query.text(of: path, without: ["limit", "cursor"])
        self.seal = seal
        guard let cursor = try query.text("cursor") else {
            after = nil
            return
        }
        guard let after = seal.open(cursor, of: list) else { throw Self.badCursor }
        self.after = after
    }

    static let badCursor = Problem(invalid: "/cursor", "is not a cursor of this list with these filters")

    /// Returns the cursor for the items after an item, named by its key, by which the list is sorted.
    func cursor(after place: String) -> String { seal.seal(place, of: list) }

    /// Returns the page of a list that is held in memory.
    ///
    /// - Parameters:
    ///   - items: All items, sorted by the bytes of their keys.
    ///   - key: The unique key by which items are sorted.
    /// - Returns: The items of the page, and the cursor of the next page if there is one.
    func page<Item>(of items: [Item], by key: (Item) -> String) -> (items: ArraySlice<Item>, next: String?) {
        let start =
            after.map { after in
                items.firstIndex { after.utf8.lexicographicallyPrecedes(key($0).utf8) } ?? items.endIndex
            } ?? items.startIndex
        let page = items[start...].prefix(limit)
        let next = page.endIndex < items.endIndex ? page.last.map { cursor(after: key($0)) } : nil
        return (page, next)
    }
}
