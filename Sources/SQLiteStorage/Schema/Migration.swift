internal import Cryptography

/// One step of the schema, in a transaction of its own; never edited once it is released.
struct Migration: Sendable {
    /// Its number and purpose, for example `0001-create-tables`.
    let name: String
    /// Whether the earlier version can continue to use the data, though it does not know this migration.
    ///
    /// It is additive when everything that the earlier version reads and writes keeps its meaning: new tables and
    /// indexes, and new columns that may be null or have a default. A version opens data when each applied migration
    /// that it does not know is additive.
    let isAdditive: Bool
    /// Its statements, whose hash is stored with the data and compared at every start.
    let sql: String
    /// Runs after the statements, in the same transaction: for changes of rows that SQL cannot express.
    let step: @Sendable (Connection) throws -> Void

    /// Creates a migration.
    ///
    /// - Parameters:
    ///   - name: Its number and purpose.
    ///   - isAdditive: Whether the earlier version can continue to use the data.
    ///   - sql: Its statements.
    ///   - step: Runs after the statements.
    init(
        _ name: String,
        isAdditive: Bool,
        sql: String,
        step: @escaping @Sendable (Connection) throws -> Void = { _ in }
    ) {
        self.name = name
        self.isAdditive = isAdditive
        self.sql = sql
        self.step = step
    }

    /// The SHA-256 of the statements.
    var hash: [UInt8] { Array(SHA256.hash(data: Array(sql.utf8))) }

    /// Applies it and records its hash; in a transaction.
    ///
    /// - Parameter db: The writer's connection.
    /// - Throws: An error of SQLite.
    func apply(_ db: Connection) throws {
        try db.run(sql)
        try step(db)
        try record(db)
    }

    /// Records that it is applied, with its hash.
    ///
    /// - Parameter db: The writer's connection.
    /// - Throws: An error of SQLite.
    func record(_ db: Connection) throws {
        try db.prepare("INSERT OR IGNORE INTO applied_migrations (name, hash, additive) VALUES (?, ?, ?)")
            .text(name).blob(hash).int(isAdditive ? 1 : 0).run()
    }
}
