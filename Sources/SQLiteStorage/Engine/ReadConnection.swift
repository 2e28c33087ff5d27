import GRDB
import GatewayStorage

/// A connection that reads from one snapshot; good within one call of ``SQLiteStore/read(_:)``.
struct ReadConnection {
    private let db: Database
    private let handle: OpaquePointer

    init(_ db: Database) throws {
        guard let handle = db.sqliteConnection else { throw StorageError.closed }
        self.db = db
        self.handle = handle
    }

    /// The statement of a text that is a constant, which the connection keeps: to prepare one costs more than most take.
    func kept(_ sql: StaticString) throws -> Statement { try kept(shape: String(describing: sql)) }

    /// The kept statement of a text that is put together of constants, in few ways: each text is kept as long as the
    /// connection is open, so that none may hold a value.
    func kept(shape sql: String) throws -> Statement {
        let kept = try db.cachedStatement(sql: sql)
        return try Statement(handle, of: kept.sqliteStatement, owner: kept) ?? prepare(sql)
    }

    /// A statement of any text, which is prepared each time.
    func prepare(_ sql: String) throws -> Statement { try Statement(handle, sql) }
}
