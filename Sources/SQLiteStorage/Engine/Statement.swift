import CSQLite
import SQLStorage

/// A prepared statement; confined to the queue of its connection, which must be open as long as it lives.
///
final class Statement {
    private let handle: OpaquePointer
    /// The owner that frees it; nil when this object does.
    private let owner: KeptStatement?
    private let connection: OpaquePointer
    private var index: Int32 = 0
    /// The buffer of the bound texts and blobs, one after the other; allocated with the first.
    ///
    /// They stay until the statement is started again: cheaper than a copy of each by SQLite.
    private var texts: UnsafeMutablePointer<CChar>?
    private var textsCount = 0

    /// Large enough for those of nearly every row; SQLite copies the rest.
    private static let textsCapacity = 4096
    /// SQLite copies: the bytes may be freed before the statement is stepped.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ connection: OpaquePointer, _ sql: String) throws {
        handle = try Self.prepare(connection, sql)
        self.connection = connection
        owner = nil
    }

    /// Uses a statement that another object caches.
    ///
    /// - Returns: Nil when it is between rows.
    init?(_ connection: OpaquePointer, of owner: KeptStatement) {
        guard sqlite3_stmt_busy(owner.handle) == 0 else { return nil }
        handle = owner.handle
        self.connection = connection
        self.owner = owner
    }

    deinit {
        if owner == nil {
            sqlite3_finalize(handle)
        } else {
            sqlite3_reset(handle)
            // The bound values are freed here.
            sqlite3_clear_bindings(handle)
        }
        texts?.deallocate()
    }

    fileprivate static func prepare(_ connection: OpaquePointer, _ sql: String) throws -> OpaquePointer {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw SQLiteError(of: connection) }
        return handle
    }

    // MARK: Binding, in the order of the parameters

    func start() -> Statement {
        sqlite3_reset(handle)
        index = 0
        textsCount = 0
        return self
    }

    @discardableResult
    func int(_ value: Int64?) -> Statement {
        index += 1
        if let value { sqlite3_bind_int64(handle, index, value) } else { sqlite3_bind_null(handle, index) }
        return self
    }

    @discardableResult
    func int(_ value: Int?) -> Statement { int(value.map { Int64($0) }) }

    @discardableResult
    func text(_ value: String?) -> Statement {
        index += 1
        guard var value else {
            sqlite3_bind_null(handle, index)
            return self
        }
        value.withUTF8 { bindText($0) }
        return self
    }

    @inline(__always)
    private func bindText(_ bytes: UnsafeBufferPointer<UInt8>) {
        if let place = keep(UnsafeRawBufferPointer(bytes)) {
            sqlite3_bind_text(handle, index, place, Int32(bytes.count), nil)
        } else {
            _ = bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_bind_text(handle, index, $0.baseAddress, Int32($0.count), Self.transient)
            }
        }
    }

    /// Copies bytes to where they stay until the parameters are bound again, so that they need no destructor; nil when
    /// there is no room.
    @inline(__always)
    private func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutablePointer<CChar>? {
        guard bytes.count <= Self.textsCapacity - textsCount else { return nil }
        let texts = self.texts ?? .allocate(capacity: Self.textsCapacity)
        self.texts = texts
        let place = texts + textsCount
        UnsafeMutableRawBufferPointer(start: place, count: bytes.count).copyBytes(from: bytes)
        textsCount += bytes.count
        return place
    }

    @discardableResult
    func blob(_ value: [UInt8]?) -> Statement {
        index += 1
        guard let value else {
            sqlite3_bind_null(handle, index)
            return self
        }
        _ = value.withUnsafeBytes { bytes in
            if let place = keep(bytes) {
                sqlite3_bind_blob(handle, index, place, Int32(bytes.count), nil)
            } else {
                sqlite3_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count), Self.transient)
            }
        }
        return self
    }

    /// Binds null to a number of parameters.
    func nulls(_ count: Int) {
        for _ in 0..<count {
            index += 1
            sqlite3_bind_null(handle, index)
        }
    }

    // MARK: Running

    /// Runs a statement that returns no rows.
    func run() throws {
        let code = sqlite3_step(handle)
        sqlite3_reset(handle)
        guard code == SQLITE_DONE || code == SQLITE_ROW else { throw SQLiteError(of: connection) }
    }

    /// Moves to the next row; a caller that stops early must reset it by ``end()``.
    func next() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            sqlite3_reset(handle)
            return false
        default:
            let error = SQLiteError(of: connection)
            sqlite3_reset(handle)
            throw error
        }
    }

    func end() { sqlite3_reset(handle) }

    // MARK: Columns of the current row

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func optionalInt64(_ column: Int32) -> Int64? { isNull(column) ? nil : int64(column) }

    func string(_ column: Int32) -> String { optionalString(column) ?? "" }

    func optionalString(_ column: Int32) -> String? {
        guard let bytes = sqlite3_column_text(handle, column) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// Provides a blob in SQLite's memory; valid until the next step.
    func withBytes(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Void) {
        guard let bytes = sqlite3_column_blob(handle, column) else { return }
        body(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, column))))
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(handle, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, column))))
    }
}

/// A prepared statement that a connection keeps, for one ``Statement`` at a time.
final class KeptStatement {
    fileprivate let handle: OpaquePointer

    init(_ connection: OpaquePointer, _ sql: String) throws { handle = try Statement.prepare(connection, sql) }

    deinit { sqlite3_finalize(handle) }
}

extension Statement: SQLStatement {
    func runCounting() throws -> Int {
        try run()
        return Int(sqlite3_changes(connection))
    }

    func storedInt(_ column: Int32) throws -> Int64 {
        try check(column, is: SQLITE_INTEGER)
        return int64(column)
    }

    func storedText(_ column: Int32) throws -> String {
        try check(column, is: SQLITE_TEXT)
        return string(column)
    }

    func storedBlob(_ column: Int32) throws -> [UInt8] {
        try check(column, is: SQLITE_BLOB)
        return bytes(column)
    }

    private func check(_ column: Int32, is type: Int32) throws {
        guard sqlite3_column_type(handle, column) == type else { throw ColumnTypeError() }
    }
}

/// A stored value has another type than was written.
struct ColumnTypeError: Error {}
