import CSQLite
import GatewayStorage
import SQLStorage

/// The schema of a database: its application id, and the applied migrations.
struct Schema {
    /// The application id in the header of every database of the gateway (sqlite.org, `PRAGMA application_id`): "SWBD".
    static let applicationID: Int32 = 0x5357_4244

    /// A migration that was applied.
    struct Applied {
        var name: String
        /// The hash of its statements; nil where the first version applied it, which recorded none.
        var hash: [UInt8]?
        var isAdditive: Bool
    }

    /// The migrations that were applied, in their order.
    let applied: [Applied]
    /// Whether the application id and the hashes are recorded.
    let isMarked: Bool

    private let foundID: Int64
    private let hasOtherTables: Bool

    /// Reads the schema.
    ///
    /// - Parameter db: A connection, which may be read-only.
    /// - Throws: An error of SQLite.
    init(_ db: Connection) throws {
        foundID = try db.prepare(once: "PRAGMA application_id").integer() ?? 0
        let tables = try Set(
            db.prepare(once: "SELECT name FROM sqlite_master WHERE type = 'table'").all { try $0.storedText(0) }
        )
        let hasHashes = tables.contains("applied_migrations")
        hasOtherTables = !tables.subtracting(["grdb_migrations", "applied_migrations"]).isEmpty
        if tables.contains("grdb_migrations") {
            let rows = try db.prepare(
                once: hasHashes
                    ? """
                    SELECT identifier, hash, additive FROM grdb_migrations g \
                    LEFT JOIN applied_migrations ON name = identifier ORDER BY g.rowid
                    """
                    : "SELECT identifier, NULL, NULL FROM grdb_migrations ORDER BY rowid"
            )
            applied = try rows.all { row in
                Applied(name: try row.value(0), hash: try row.value(1), isAdditive: try row.value(2) ?? false)
            }
        } else {
            applied = []
        }
        isMarked = foundID == Int64(Self.applicationID) && hasHashes && applied.allSatisfy { $0.hash != nil }
    }

    /// Reads the schema from a file, which is not changed.
    ///
    /// - Parameter path: The database file.
    /// - Returns: The schema, and the size of the database in bytes.
    /// - Throws: An error of SQLite.
    static func read(path: String) throws -> (schema: Schema, bytes: UInt64) {
        try SQLiteStore.connect(path, isReadOnly: true).snapshot { db in (try Schema(db), UInt64(try db.size.bytes)) }
    }

    /// Checks that this version can work with the data.
    ///
    /// - Parameter all: The migrations that this version knows.
    /// - Throws: `StorageError`: foreign, newerSchema, changedMigration; ``SQLiteError`` when the records are damaged.
    func check(all: [Migration] = Migrations.all) throws {
        guard foundID == 0 || foundID == Int64(Self.applicationID) else {
            throw StorageError.foreign(detail: "its application id is \(foundID)")
        }
        let first = all.first?.name
        guard !hasOtherTables || applied.contains(where: { $0.name == first }) else {
            throw StorageError.foreign(detail: "it has tables of another program")
        }
        let known = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
        if let unknown = applied.last(where: { known[$0.name] == nil && !$0.isAdditive }) {
            throw StorageError.newerSchema(migration: unknown.name)
        }
        for applied in applied {
            guard let migration = known[applied.name] else { continue }
            guard let hash = applied.hash else {
                // The first version recorded none, and had only the first migration.
                guard applied.name == first else {
                    throw SQLiteError(SQLITE_CORRUPT, "no hash of \(applied.name) is recorded")
                }
                continue
            }
            guard hash == migration.hash else { throw StorageError.changedMigration(applied.name) }
        }
    }

    /// Returns the migrations that are not applied yet.
    ///
    /// - Parameter all: The migrations that this version knows.
    /// - Returns: The migrations, in order.
    func pending(all: [Migration] = Migrations.all) -> [Migration] {
        let names = Set(applied.map(\.name))
        return all.filter { !names.contains($0.name) }
    }

    /// Marks the database with the application id, and records the hash of a migration from before hashes were
    /// recorded.
    ///
    /// - Parameters:
    ///   - db: The writer's connection, in a transaction.
    ///   - all: The migrations that this version knows.
    /// - Throws: An error of SQLite.
    static func mark(_ db: Connection, all: [Migration]) throws {
        try db.run(
            """
            CREATE TABLE IF NOT EXISTS applied_migrations (
                name TEXT NOT NULL PRIMARY KEY, hash BLOB NOT NULL, additive INTEGER NOT NULL) WITHOUT ROWID;
            PRAGMA application_id = \(applicationID);
            """
        )
        let applied = try Set(Schema(db).applied.map(\.name))
        for migration in all where applied.contains(migration.name) { try migration.record(db) }
    }
}
