import CSQLite
import SQLStorage

/// One SQLite connection with its cached statements; used by one thread at a time.
final class Connection: SQLConnection {
    /// The time for which a connection waits for another process's lock on the data, in milliseconds.
    static let busyMilliseconds: Int32 = 5000

    let handle: OpaquePointer
    /// Statements by the address of their text, which is a constant of the program: cheaper than hashing the text.
    private var statements: [UnsafePointer<UInt8>: Statement] = [:]
    /// A second cache with linear probing: the place is derived from mixed bits of the address, so that a step or two
    /// find it.
    private var recent = [(text: UnsafePointer<UInt8>, statement: Statement)?](repeating: nil, count: 256)
    /// The statements of ``ReadConnection``, by their texts.
    private var kept: [String: KeptStatement] = [:]

    /// Opens a file, which is created when it is missing; throws ``SQLiteError``.
    init(path: String, isReadOnly: Bool = false) throws {
        var opened: OpaquePointer?
        let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        // Without locks around each call.
        let code = sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw SQLiteError(code)
        }
        handle = opened
        sqlite3_busy_timeout(handle, Self.busyMilliseconds)
        switchboard_sqlite_refuse_quoted_texts(handle)
    }

    deinit {
        statements = [:]
        recent = []
        kept = [:]
        sqlite3_close_v2(handle)
    }

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

    /// Returns a statement of any text, which is prepared each time.
    func prepare(once sql: String) throws -> Statement { try Statement(handle, sql) }

    /// Returns the prepared statement of a text, which is kept.
    func keep(_ sql: String) throws -> KeptStatement {
        if let statement = kept[sql] { return statement }
        let statement = try KeptStatement(handle, sql)
        kept[sql] = statement
        return statement
    }

    /// Runs statements without parameters, and ignores their rows.
    func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw SQLiteError(of: handle) }
    }

    /// Runs in a transaction, which an error rolls back.
    func transaction<Value>(_ work: () throws -> Value) throws -> Value {
        try run("BEGIN IMMEDIATE")
        do {
            let value = try work()
            try run("COMMIT")
            return value
        } catch {
            // Full disks and IO errors roll back by themselves.
            try? run("ROLLBACK")
            throw error
        }
    }

    /// Reads from one snapshot.
    func snapshot<Value>(_ read: (Connection) throws -> Value) throws -> Value {
        try prepare("BEGIN").run()
        defer { if (try? prepare("COMMIT").run()) == nil { try? prepare("ROLLBACK").run() } }
        return try read(self)
    }

    /// Moves pages of the WAL into the database file.
    ///
    /// - Parameter mode: The mode (https://sqlite.org/c3ref/wal_checkpoint_v2.html).
    /// - Returns: The number of the WAL's pages that have been moved.
    /// - Throws: ``SQLiteError``.
    @discardableResult
    func checkpoint(_ mode: Int32) throws -> Int {
        var moved: Int32 = -1
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, &moved)
        guard code == SQLITE_OK else { throw SQLiteError(of: handle) }
        return Int(moved)
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
    func limitCache(kilobytes: Int) throws { try run("PRAGMA cache_size = -\(kilobytes)") }

    /// The size of the database.
    var size: (bytes: Int, pages: Int) {
        get throws {
            let pages = try prepare(once: "PRAGMA page_count").integer() ?? 0
            let pageSize = try prepare(once: "PRAGMA page_size").integer() ?? 0
            return (Int(pages * pageSize), Int(pages))
        }
    }
}
