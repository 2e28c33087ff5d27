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
    func kept(_ sql: StaticString) throws -> Statement {
        let kept = try db.cachedStatement(sql: String(describing: sql))
        return try Statement(handle, of: kept.sqliteStatement, owner: kept) ?? prepare(String(describing: sql))
    }

    /// A statement of a text that is put together, which is prepared each time.
    func prepare(_ sql: String) throws -> Statement { try Statement(handle, sql) }
}
