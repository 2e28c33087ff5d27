import GRDBSQLite
import SQLStorage

/// One SQLite connection with its cached statements; confined to the connection's queue.
final class Connection: SQLConnection {
    private let handle: OpaquePointer
    /// Statements by the address of their text, which is a constant of the program: cheaper than hashing the text.
    private var statements: [UnsafePointer<UInt8>: Statement] = [:]
    /// A second cache with linear probing: the place is derived from mixed bits of the address, so that a step or two
    /// find it.
    private var recent = [(text: UnsafePointer<UInt8>, statement: Statement)?](repeating: nil, count: 256)

    init(_ handle: OpaquePointer) { self.handle = handle }

    /// Returns the cached statement of a text, reset and without parameters.
    func prepare(_ sql: StaticString) throws -> Statement {
        let text = sql.utf8Start
        var place = Int((UInt64(UInt(bitPattern: text)) &* 0x9E37_79B9_7F4A_7C15) >> 56)
        for _ in 0..<8 {
            guard let found = recent[place] else { break }
            if found.text == text { return found.statement.start() }
            place = (place + 1) & 255
        }
        let statement = try statements[text] ?? Statement(handle, String(describing: sql))
        statements[text] = statement
        if recent[place] == nil { recent[place] = (text, statement) }
        return statement.start()
    }

    /// Resets every statement, after an error that may have left some between rows.
    func endAll() { for statement in statements.values { statement.end() } }

    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    var changedRows: Int { Int(sqlite3_changes(handle)) }

    /// The size of the page cache.
    var cacheKilobytes: Int {
        var (used, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &used, &highest, 0)
        return Int(used) / 1024
    }

    /// Sets the upper bound of the page cache.
    func limitCache(kilobytes: Int) throws { try Statement(handle, "PRAGMA cache_size = -\(kilobytes)").run() }

    /// Frees the statements; the connection must still be open.
    func close() {
        statements = [:]
        recent = []
    }
}
