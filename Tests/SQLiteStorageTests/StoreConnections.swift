import SQLStorage

@testable import SQLiteStorage

extension SQLiteStore {
    /// The store's own connections, for tests that look at its file or change it behind it.
    var pool: StoreConnections { StoreConnections(store: self) }
}

/// The connections of a store.
struct StoreConnections {
    let store: SQLiteStore

    /// Runs on a connection that reads.
    func read<Value: Sendable>(_ work: @escaping @Sendable (ReadConnection) throws -> Value) async throws -> Value {
        try await store.readers.read(work).get()
    }

    /// Runs on the connection that writes, in a transaction.
    func write<Value: Sendable>(_ work: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
        try store.writing.wait { db in try db.transaction { try work(db) } }
    }

    /// The same for a caller that cannot suspend.
    func write<Value>(_ work: (Connection) throws -> Value) throws -> Value {
        try store.writing.wait { db in try db.transaction { try work(db) } }
    }

    /// Runs on the connection that writes.
    func writeWithoutTransaction<Value: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try store.writing.wait(work)
    }
}

/// A connection for which tests write any SQL.
protocol AnySQL {
    func prepare(once sql: String) throws -> Statement
}

extension Connection: AnySQL {
    func execute(sql: String) throws { try run(sql) }

    func execute(sql: String, arguments: [any Sendable]) throws {
        let statement = try prepare(once: sql)
        for argument in arguments {
            switch argument {
            case let text as String: statement.text(text)
            case let number as Int64: statement.int(number)
            case let number as Int: statement.int(number)
            case let bytes as [UInt8]: statement.blob(bytes)
            default: preconditionFailure("\(argument) cannot be bound")
            }
        }
        try statement.run()
    }
}

extension ReadConnection: AnySQL {}

extension SQLValue {
    /// Returns the first column of the first row; nil for none, and for null.
    static func fetchOne(_ db: some AnySQL, sql: String) throws -> Self? {
        try db.prepare(once: sql).first { try $0.value(0) as Self? } ?? nil
    }

    /// Returns the first column of all rows.
    static func fetchAll(_ db: some AnySQL, sql: String) throws -> [Self] {
        try db.prepare(once: sql).all { try $0.value(0) as Self }
    }
}

extension SQLValue where Self: Hashable {
    /// Returns the different values of the first column.
    static func fetchSet(_ db: some AnySQL, sql: String) throws -> Set<Self> { Set(try fetchAll(db, sql: sql)) }
}
