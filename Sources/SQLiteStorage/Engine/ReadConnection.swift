import SQLStorage

/// A connection that reads from one snapshot; valid within one call of ``SQLiteStore/read(_:)``.
struct ReadConnection: SQLReader {
    private let db: Connection

    init(_ db: Connection) { self.db = db }

    /// Returns the cached statement of a constant text: preparing a statement costs more than most take to run.
    func prepare(_ sql: StaticString) throws -> Statement { try prepare(composed: String(describing: sql)) }

    /// Returns the cached statement of a text that is composed of constants, in few ways.
    ///
    /// Each text is cached as long as the connection is open, so that it must not contain a value.
    func prepare(composed sql: String) throws -> Statement {
        try Statement(db.handle, of: db.keep(sql)) ?? prepare(once: sql)
    }

    /// Returns a statement of any text, which is prepared each time.
    func prepare(once sql: String) throws -> Statement { try db.prepare(once: sql) }
}
