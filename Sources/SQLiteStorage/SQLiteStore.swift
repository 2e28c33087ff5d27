internal import CSQLite
import Dispatch
import Foundation
import GRDB
import GRDBSQLite
package import GatewayModel
package import GatewayStorage
package import Logging
package import SQLStorage
import Synchronization
internal import Telemetry

/// The gateway's data in one SQLite file: WAL, one writer, separate readers, synced at every commit.
///
/// One process owns the file, by a lock beside it. Any thread may call; the work runs on GRDB's queues.
package final class SQLiteStore: GatewayStore, SQLStore {
    let pool: DatabasePool
    /// The database file.
    private let path: String
    private let lock: DataLock
    private let logger: Logger
    private let isClosed = Mutex(false)
    private let outboundListeners = Mutex<[@Sendable (BrandID, Int) -> Void]>([])
    private let sessionListeners = Mutex<[@Sendable (SessionEnd) -> Void]>([])
    private let damageListeners = Mutex<[@Sendable (StorageError) -> Void]>([])
    /// Confined to the pool's writer queue; see ``Writer``.
    private let writer: WriterBox
    let checkpointer: Checkpointer
    /// The newest changes of followed logs, which the writer adds.
    let recent: RecentChanges

    private init(
        pool: DatabasePool,
        checkpointer: Checkpointer,
        memoryBytes: Int,
        path: String,
        lock: DataLock,
        logger: Logger
    ) {
        self.pool = pool
        self.checkpointer = checkpointer
        self.path = path
        self.lock = lock
        self.logger = logger
        recent = RecentChanges()
        self.writer = WriterBox(memoryBytes: memoryBytes, recent: recent)
    }

    /// Set once in a process, before its first connection; a process that has used SQLite before keeps SQLite's
    /// defaults.
    static let isConfigured = switchboard_sqlite_configure() == SQLITE_OK

    /// Opens the data and migrates its schema; blocks, so call it at start-up.
    ///
    /// - Parameters:
    ///   - path: The database file; created with mode 0600 when it is missing.
    ///   - copiesBeforeMigration: Whether data with pending migrations is copied beside it first.
    ///   - memoryBytes: The memory for consumers with recent events, about 1 KB each; those that do not fit are read
    ///     from the file with each event.
    ///   - tunesFileAccess: Whether commits write the WAL in larger pieces and checkpoints leave the disk to commits,
    ///     by replacing some of SQLite's file methods.
    ///   - logger: The logger for operators.
    /// - Returns: A store that only this process has open.
    /// - Throws: `StorageError`: locked, readOnly, full, corrupt, foreign, newerSchema, changedMigration, unavailable.
    ///   The file is never damaged.
    package static func open(
        path: String,
        copiesBeforeMigration: Bool = true,
        memoryBytes: Int = SQLiteStore.defaultMemoryBytes,
        tunesFileAccess: Bool = true,
        logger: Logger
    ) throws(StorageError) -> SQLiteStore {
        try open(
            path: path,
            migrations: Migrations.all,
            copiesBeforeMigration: copiesBeforeMigration,
            memoryBytes: memoryBytes,
            tunesFileAccess: tunesFileAccess,
            logger: logger
        )
    }

    /// The default of the writer's memory: 100,000 to 200,000 consumers with a device each.
    package static let defaultMemoryBytes = 192 << 20

    /// Opens the data with migrations that may differ from those of this version.
    static func open(
        path: String,
        migrations: [Migration],
        copiesBeforeMigration: Bool,
        memoryBytes: Int = defaultMemoryBytes,
        tunesFileAccess: Bool = true,
        logger: Logger
    ) throws(StorageError) -> SQLiteStore {
        let lock = try DataLock(path: path + ".lock")
        _ = isConfigured
        do {
            if !FileManager.default.fileExists(atPath: path) {
                guard
                    FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
                else { throw StorageError.unavailable(detail: "\(path) cannot be created") }
            }
            // Read-only at first: a pool would convert another program's database to WAL mode.
            let (schema, bytes) = try Schema.read(path: path)
            try schema.check(all: migrations)
            if copiesBeforeMigration, let copy = copy(before: migrations, path: path, schema) {
                let report = try copy.take(bytes: bytes)
                logger.notice(
                    "copied the data before migrating it; delete the copy once the new version works as expected",
                    metadata: [LogKey.path: "\(copy.path)", LogKey.bytes: "\(report.bytes)"]
                )
            }
            let pool = try DatabasePool(path: path, configuration: configuration())
            try Migrations.apply(to: pool, schema, all: migrations)
            try recount(pool, logger: logger)
            if !tunesFileAccess {
                logger.notice(
                    "storage.tuneFileAccess is false: SQLite's file methods are not replaced, and commits take longer"
                )
            }
            let checkpointer = try Checkpointer(path: path, isThrottled: tunesFileAccess, logger: logger)
            try pool.writeWithoutTransaction { db in
                // GRDB sets NORMAL when it opens a WAL pool: then a commit is not on disk when it returns.
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try db.execute(sql: "PRAGMA cache_size = -\(Writer.cacheKilobytes)")
                guard let handle = db.sqliteConnection else { return }
                checkpointer.follow(handle)
                if tunesFileAccess { WALWriteBuffer.install(on: handle) }
            }
            return SQLiteStore(
                pool: pool,
                checkpointer: checkpointer,
                memoryBytes: memoryBytes,
                path: path,
                lock: lock,
                logger: logger
            )
        } catch {
            throw StorageError(sqlite: error, path: path)
        }
    }

    /// Recounts the delivery log where its counts use other reasons than this version.
    private static func recount(_ pool: DatabasePool, logger: Logger) throws {
        let start = ContinuousClock.now
        let isRecounted = try pool.write { db in
            guard let handle = db.sqliteConnection else { throw StorageError.closed }
            let writer = Writer(Connection(handle), memoryBytes: 0)
            defer { writer.close() }
            return try writer.recountReasons()
        }
        guard isRecounted else { return }
        logger.info(
            "recounted the delivery log by this version's reasons",
            metadata: [LogKey.milliseconds: "\(Int64((ContinuousClock.now - start) / .milliseconds(1)))"]
        )
    }

    /// Returns the applied and pending migrations of the data, without changing it.
    ///
    /// - Parameter path: The database file.
    /// - Returns: The plan; all are pending when there is no file.
    /// - Throws: `StorageError`.
    package static func migrations(path: String) throws(StorageError) -> MigrationPlan {
        try migrations(path: path, all: Migrations.all)
    }

    /// The same with migrations that may differ from those of this version.
    static func migrations(path: String, all: [Migration]) throws(StorageError) -> MigrationPlan {
        guard FileManager.default.fileExists(atPath: path) else {
            return MigrationPlan(migrations: all.map { (name: $0.name, isApplied: false) })
        }
        do {
            let schema = try Schema.read(path: path).schema
            try schema.check(all: all)
            let pending = Set(schema.pending(all: all).map(\.name))
            return MigrationPlan(
                migrations: all.map { (name: $0.name, isApplied: !pending.contains($0.name)) },
                copy: copy(before: all, path: path, schema)?.path
            )
        } catch {
            throw StorageError(sqlite: error, path: path)
        }
    }

    /// Returns the copy to make before pending migrations; nil when none are pending, and where there is no data yet.
    private static func copy(before all: [Migration], path: String, _ schema: Schema) -> MigrationCopy? {
        guard let last = schema.applied.last, !schema.pending(all: all).isEmpty else { return nil }
        return MigrationCopy(source: path, last: last.name)
    }

    /// The time for which a connection waits for another process's lock on the data, in seconds.
    static let busySeconds = 5.0

    /// Returns the configuration of every connection to the data.
    ///
    /// - Parameter base: The earlier configuration; its preparation runs first.
    /// - Returns: The configuration.
    static func configuration(_ base: Configuration = Configuration()) -> Configuration {
        var configuration = base
        configuration.label = "switchboard.sqlite"
        configuration.maximumReaderCount = 3
        configuration.busyMode = .timeout(busySeconds)
        configuration.qos = .userInitiated
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = -16000")
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
            // Removed bytes are overwritten, so that no file contains an erased consumer. Some distributions build
            // SQLite so; this setting requires it.
            try db.execute(sql: "PRAGMA secure_delete = ON")
            // A damaged page is detected when it is read, before its cells are used.
            try db.execute(sql: "PRAGMA cell_size_check = ON")
        }
        return configuration
    }

    // MARK: Running on the queues

    /// Runs on the writer's queue, in a transaction of its own, and returns when it is synced.
    func write<Value: Sendable>(
        _ work: @escaping @Sendable (Writer) throws -> Value
    ) async throws(StorageError) -> Value {
        try await onWriter { db in try self.transaction(db, work) }
    }

    /// Like ``write(_:)``, with the time for which the writer was held, in milliseconds, including the sync and the
    /// checkpoint.
    func timedWrite<Value: Sendable>(
        _ work: @escaping @Sendable (Writer) throws -> Value
    ) async throws(StorageError) -> (value: Value, heldMilliseconds: Double) {
        try await onWriter { db in
            let start = ContinuousClock.now
            let value = try self.transaction(db, work)
            self.checkpointer.moveRest(of: db)
            return (value, (ContinuousClock.now - start) / .milliseconds(1))
        }
    }

    /// Runs a transaction, and notifies the listeners of its outbound items and ended sessions.
    func transaction<Value>(_ db: Database, _ work: (Writer) throws -> Value) throws -> Value {
        let writer = try self.writer.writer(of: db)
        let value = try writer.transaction(work)
        if !writer.published.isEmpty {
            let listeners = outboundListeners.withLock { $0 }
            for (brand, count) in writer.published { for listener in listeners { listener(brand, count) } }
        }
        if !writer.endedSessions.isEmpty {
            let listeners = sessionListeners.withLock { $0 }
            for end in writer.endedSessions { for listener in listeners { listener(end) } }
        }
        return value
    }

    package func onSessionEnd(_ listener: @escaping @Sendable (SessionEnd) -> Void) {
        sessionListeners.withLock { $0.append(listener) }
    }

    package func onOutbound(_ listener: @escaping @Sendable (BrandID, Int) -> Void) {
        outboundListeners.withLock { $0.append(listener) }
    }

    package func onDamage(_ listener: @escaping @Sendable (StorageError) -> Void) {
        damageListeners.withLock { $0.append(listener) }
    }

    /// Returns the error that a call throws; listeners are notified of damage first.
    private func failure(_ error: any Error) -> StorageError {
        let error = StorageError(sqlite: error, path: path)
        if case .corrupt = error {
            for listener in damageListeners.withLock({ $0 }) { listener(error) }
        }
        return error
    }

    /// Runs on the writer's queue, outside of a transaction.
    func onWriter<Value: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Value
    ) async throws(StorageError) -> Value {
        guard !isClosed.withLock({ $0 }) else { throw .closed }
        let result: Result<Value, StorageError> = await withCheckedContinuation { continuation in
            pool.asyncWriteWithoutTransaction { db in
                do {
                    continuation.resume(returning: .success(try work(db)))
                } catch {
                    continuation.resume(returning: .failure(self.failure(error)))
                }
                self.tidyUp(db)
            }
        }
        return try result.get()
    }

    /// Runs on the calling thread, which waits for the writer's queue, in a transaction of its own, and returns when it
    /// is synced.
    private func writeHere<Value>(_ work: (Writer) throws -> Value) throws(StorageError) -> Value {
        guard !isClosed.withLock({ $0 }) else { throw .closed }
        let (result, isTidy) = pool.writeWithoutTransaction { db in
            (Result { try self.transaction(db, work) }, self.isTidy(db))
        }
        if !isTidy { pool.asyncWriteWithoutTransaction { self.tidyUp($0) } }
        do { return try result.get() } catch { throw failure(error) }
    }

    /// Whether nothing is left to do after a commit; on the writer's queue.
    private func isTidy(_ db: Database) -> Bool {
        (try? writer.writer(of: db))?.isIndexingDue != true && !checkpointer.isWriterNext
    }

    /// Does what is due after a commit; on the writer's queue, when the callers of the commit have got their results.
    private func tidyUp(_ db: Database) {
        indexLog(db)
        checkpointer.moveRest(of: db)
    }

    /// Indexes the new rows of the delivery log, when there are enough; on the writer's queue.
    ///
    /// After an error the rows are read one by one; the next commit fails too, or indexes them.
    private func indexLog(_ db: Database) {
        guard let writer = try? writer.writer(of: db) else { return }
        while writer.isIndexingDue {
            guard (try? writer.transaction { try $0.indexLog() }) != nil else { return }
        }
    }

    /// Runs on a reader's queue, in a snapshot.
    func read<Value: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Value
    ) async throws(StorageError) -> Value {
        guard !isClosed.withLock({ $0 }) else { throw .closed }
        let result: Result<Value, StorageError> = await withCheckedContinuation { continuation in
            pool.asyncRead { snapshot in
                do {
                    continuation.resume(returning: .success(try work(try snapshot.get())))
                } catch {
                    continuation.resume(returning: .failure(self.failure(error)))
                }
            }
        }
        // A closed pool throws errors of its own from reads.
        if case .failure = result, isClosed.withLock({ $0 }) { throw .closed }
        return try result.get()
    }

    package func inSnapshot<Value: Sendable>(
        _ work: @escaping @Sendable (any SQLReader) throws -> Value
    ) async throws(StorageError) -> Value {
        try await read { try work(ReadConnection($0)) }
    }

    package func inTransaction<Value: Sendable>(
        _ work: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value {
        try await write { try work($0) }
    }

    // MARK: Start and stop

    package func begin(
        now: Timestamp,
        quietUntil: @escaping QuietUntil
    ) async throws(StorageError) -> IncarnationStart {
        try await write { try $0.begin(now: now, quietUntil: quietUntil) }
    }

    package func close() async {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        guard !wasClosed else { return }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            pool.asyncWriteWithoutTransaction { db in
                self.writer.close()
                self.recent.forgetAll()
                if let handle = db.sqliteConnection { Checkpointer.unfollow(handle) }
                continuation.resume()
            }
        }
        // Blocks until the checkpoint and the readers are done: not on a thread of the cooperative pool.
        let failure: StorageError? = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                self.checkpointer.close()
                do {
                    // GRDB closes its readers last, and they cannot checkpoint: without this the data stays in the WAL.
                    // When it fails, the next start reads the WAL.
                    _ = try? self.pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
                    try self.pool.close()
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: StorageError(sqlite: error, path: self.path))
                }
            }
        }
        if let failure {
            logger.warning("the database was not closed cleanly", metadata: [LogKey.errorText: "\(failure.text)"])
        }
        lock.release()
    }

    package func probe() async throws(StorageError) {
        _ = try await read { try Int.fetchOne($0, sql: "SELECT count(*) FROM incarnations") }
    }

    package func unfinishedPushes() async throws(StorageError) -> (count: Int, oldest: Timestamp?) {
        try await read { db in
            let sql = "SELECT count(*), min(queued_at) FROM outbox WHERE held = 0"
            guard let row = try Row.fetchOne(db, sql: sql) else { return (0, nil) }
            let oldest: Int64? = row[1]
            return (row[0], oldest.map { Timestamp(milliseconds: $0) })
        }
    }

    package func probeWriting() async throws(StorageError) { try await write { try $0.keepHighMark() } }

    package func commit(_ turn: WriterTurn) async throws(StorageError) -> WriterTurnResult {
        let mayBlock = withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil }
        return mayBlock ? try writeHere { try $0.commit(turn) } : try await write { try $0.commit(turn) }
    }
}

/// The writer's state, reached only from the pool's writer queue.
private final class WriterBox: @unchecked Sendable {
    // Guarded by the pool's writer queue: `asyncWriteWithoutTransaction` runs one closure at a time.
    private var writer: Writer?
    private var isClosed = false
    private let memoryBytes: Int
    private let recent: RecentChanges

    init(memoryBytes: Int, recent: RecentChanges) {
        self.memoryBytes = memoryBytes
        self.recent = recent
    }

    func writer(of db: Database) throws -> Writer {
        if let writer { return writer }
        // A call that was admitted just before the store closed must not open the writer again.
        guard !isClosed, let handle = db.sqliteConnection else { throw StorageError.closed }
        let made = Writer(Connection(handle), memoryBytes: memoryBytes, recent: recent)
        writer = made
        return made
    }

    func close() {
        isClosed = true
        writer?.close()
        writer = nil
    }
}
