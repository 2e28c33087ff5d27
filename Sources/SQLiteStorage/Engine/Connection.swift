import GRDBSQLite

/// One SQLite connection with the statements that it keeps; confined to the connection's queue.
final class Connection {
    private let handle: OpaquePointer
    /// By the address of their text, which is a constant of this target: cheaper than hashing the text.
    private var statements: [UnsafePointer<UInt8>: Statement] = [:]

    init(_ handle: OpaquePointer) { self.handle = handle }

    /// The kept statement of a text, reset and without parameters.
    func prepare(_ sql: StaticString) throws -> Statement {
        if let known = statements[sql.utf8Start] { return known.start() }
        let statement = try Statement(handle, String(describing: sql))
        statements[sql.utf8Start] = statement
        return statement.start()
    }

    /// Resets every statement, after an error that may have left some in the middle of their rows.
    func endAll() { for statement in statements.values { statement.end() } }

    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    var changedRows: Int { Int(sqlite3_changes(handle)) }

    /// Frees the statements; the connection must be open still.
    func close() { statements = [:] }
}
