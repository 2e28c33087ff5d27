import Foundation
import GRDB
import GRDBSQLite
import Testing

@testable import SQLiteStorage

/// Databases in WAL mode in a directory of their own, each with one table, for tests of the replaced file methods.
///
/// A row has about a page of its own. No connection checkpoints by itself.
struct FileAccessFixture {
    /// A frame of a WAL, without its salt and checksum, which differ from WAL to WAL.
    struct Frame: Equatable {
        /// The page's number, and the size of the database after a commit.
        let head: Data
        let page: Data
    }

    /// The bytes of a frame.
    static let frameBytes = 24 + 4096

    private let engine: SQLiteEngine

    init() throws {
        // Must precede the first connection of the process: other suites need the page cache that it sets.
        _ = SQLiteStore.isConfigured
        engine = try SQLiteEngine()
    }

    // MARK: Connections

    /// Opens a database with SQLite's own methods; creates it when it is missing.
    func open(_ name: String, cachePages: Int = 2000) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            try db.execute(sql: "PRAGMA synchronous = FULL")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            try db.execute(sql: "PRAGMA cache_size = \(cachePages)")
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS t (k INTEGER PRIMARY KEY, v TEXT NOT NULL)")
        }
        let queue = try DatabaseQueue(path: path(name), configuration: configuration)
        // SQLite exposes the WAL of a connection that has read.
        _ = try rows(queue)
        return queue
    }

    /// Opens a database with a WAL that is buffered, and a record of the calls below the buffer.
    func openBuffered(_ name: String, cachePages: Int = 2000) throws -> (queue: DatabaseQueue, calls: FileCalls) {
        let queue = try open(name, cachePages: cachePages)
        let calls = try queue.inDatabase { db in
            let calls = FileCalls(try db.file(SQLITE_FCNTL_JOURNAL_POINTER))
            let isInstalled = WALWriteBuffer.install(on: try db.handle())
            #expect(isInstalled)
            return calls
        }
        return (queue, calls)
    }

    /// Opens a database whose file is throttled, and a record of the calls below the throttle and of its pauses.
    func openThrottled(_ name: String) throws -> (queue: DatabaseQueue, calls: FileCalls) {
        let queue = try open(name)
        let calls = try queue.inDatabase { db in
            let calls = FileCalls(try db.file(SQLITE_FCNTL_FILE_POINTER))
            let isInstalled = ThrottledCheckpointFile.install(on: try db.handle(), pause: calls.pause)
            #expect(isInstalled)
            return calls
        }
        return (queue, calls)
    }

    // MARK: Files

    func path(_ name: String) -> String { engine.directory.appending(path: name).path }

    /// Returns the bytes of a database file; the WAL's name ends in `-wal`.
    func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: path(name))) }

    /// Copies a database and its WAL as they are on disk.
    func copied(_ name: String) throws -> String {
        let copy = UUID().uuidString
        for end in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path(name) + end, toPath: path(copy) + end)
        }
        return copy
    }

    /// Returns the rows that a reader would find after a crash at this moment, or what is damaged.
    func recovered(_ name: String) throws -> [String] {
        let queue = try open(try copied(name))
        let check = try queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
        let found = try rows(queue)
        try queue.close()
        return check == ["ok"] ? found : check
    }

    /// Returns the frames of a WAL since it restarted.
    func frames(_ name: String) throws -> [Frame] {
        let log = try bytes(name + "-wal")
        guard log.count >= 32 else { return [] }
        let salt = log[16..<24]
        return stride(from: 32, through: log.count - Self.frameBytes, by: Self.frameBytes).compactMap { at -> Frame? in
            guard log[(at + 8)..<(at + 16)] == salt else { return nil }
            return Frame(head: log[at..<(at + 8)], page: log[(at + 24)..<(at + Self.frameBytes)])
        }
    }

    /// Returns the files of the fixture that this process has open.
    func openFiles() throws -> [String] {
        let folder = "/proc/self/fd/"
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: folder + $0) }
            .filter { $0.contains(engine.directory.lastPathComponent) }
    }

    // MARK: Rows

    /// Returns each row of a connection as `key:value:length`, by key; values without leading zeros.
    func rows(_ queue: DatabaseQueue) throws -> [String] { try queue.read { try Self.rows($0) } }

    static func rows(_ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT k || ':' || ltrim(v, '0') || ':' || length(v) FROM t ORDER BY k")
    }

    /// Returns the expected rows.
    ///
    /// - Parameters:
    ///   - keys: Their keys, ascending.
    ///   - added: The difference of values and keys.
    /// - Returns: A text for each row, as ``rows(_:)`` returns them.
    static func texts(_ keys: some Sequence<Int>, adding added: Int = 0) -> [String] {
        keys.map { "\($0):\($0 + added):3000" }
    }

    static func insert(_ keys: ClosedRange<Int>, _ db: Database) throws {
        try db.execute(
            sql: """
                WITH RECURSIVE n (k) AS (SELECT \(keys.lowerBound) UNION ALL SELECT k + 1 FROM n
                WHERE k < \(keys.upperBound)) INSERT INTO t SELECT k, printf('%0*d', 3000, k) FROM n
                """
        )
    }
}

/// A connection of the engine, or of GRDB, which tests use to look at files.
protocol FileOwner {
    /// Returns SQLite's connection.
    func handle() throws -> OpaquePointer
}

private struct NotExposed: Error {}

extension Database: FileOwner {
    func handle() throws -> OpaquePointer {
        guard let handle = sqliteConnection else { throw NotExposed() }
        return handle
    }
}

extension Connection: FileOwner {
    func handle() -> OpaquePointer { handle }
}

extension Row {
    /// Returns a column's value; throws where GRDB's subscript traps.
    func value<Value: DatabaseValueConvertible>(_ index: Int) throws -> Value { try decode(atIndex: index) }
}

extension FileOwner {
    /// Returns an open file; see `UnsafeMutablePointer.file(of:_:)`.
    func file(_ operation: Int32) throws -> UnsafeMutablePointer<sqlite3_file> {
        guard let file = UnsafeMutablePointer.file(of: try handle(), operation) else { throw NotExposed() }
        return file
    }

    /// Returns the addresses of the methods of both files.
    func fileMethods() throws -> (database: UInt, wal: UInt) {
        // SQLite exposes the WAL of a connection that has read.
        sqlite3_exec(try handle(), "SELECT count(*) FROM sqlite_master", nil, nil, nil)
        return (
            UInt(bitPattern: try file(SQLITE_FCNTL_FILE_POINTER).pointee.pMethods),
            UInt(bitPattern: try file(SQLITE_FCNTL_JOURNAL_POINTER).pointee.pMethods)
        )
    }
}
