internal import CSQLite
import Dispatch
import Foundation
package import GatewayModel
package import GatewayStorage
package import Logging
package import SQLStorage
import Synchronization
internal import Telemetry

/// The gateway's data in one SQLite file: WAL, one writer, separate readers, synced at every commit.
///
/// One process owns the file, by a lock beside it. Any thread may call; the work runs on the connections' queues.
package final class SQLiteStore: GatewayStore, SQLStore {
    let writing: ConnectionQueue
    let readers: Readers
    /// The database file.
    private let path: String
    private let isClosed = Mutex(false)
    private let outboundListeners = Mutex<[@Sendable (BrandID, Int) -> Void]>([])
    private let sessionListeners = Mutex<[@Sendable (SessionEnd) -> Void]>([])
    private let damageListeners = Mutex<[@Sendable (StorageError) -> Void]>([])
    /// Confined to the writer's queue; see ``Writer``.
    private let writer: WriterBox
    let checkpointer: Checkpointer
    /// The newest changes of followed logs, which the writer adds.
    let recent: RecentChanges
    /// The last one: it is released after the connections.
    private let lock: DataLock

    private init(
        writing: ConnectionQueue,
        readers: Readers,
        checkpointer: Checkpointer,
        memoryBytes: Int,
        path: String,
        lock: DataLock
    ) {
        self.writing = writing
        self.readers = readers
        self.checkpointer = checkpointer
        self.path = path
        self.lock = lock
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
            // Read-only at first: another program's database stays as it is.
            let (schema, bytes) = try Schema.read(path: path)
            try schema.check(all: migrations)
            if copiesBeforeMigration, let copy = copy(before: migrations, path: path, schema) {
                let report = try copy.take(bytes: bytes)
                logger.notice(
                    "copied the data before migrating it; delete the copy once the new version works as expected",
                    metadata: [LogKey.path: "\(copy.path)", LogKey.bytes: "\(report.bytes)"]
                )
            }
            let writing = ConnectionQueue(label: "switchboard.sqlite.writer") { try connect(path) }
            try writing.wait { db in
                guard try db.prepare(once: "PRAGMA journal_mode = WAL").first({ try $0.storedText(0) }) == "wal" else {
                    throw StorageError.unavailable(detail: "\(path): the file system does not support a WAL")
                }
                try Migrations.apply(to: db, path: path, schema, all: migrations)
                try recount(db, logger: logger)
            }
            if !tunesFileAccess {
                logger.notice(
                    "storage.tuneFileAccess is false: SQLite's file methods are not replaced, and commits take longer"
                )
            }
            let checkpointer = try Checkpointer(path: path, isThrottled: tunesFileAccess, logger: logger)
            try writing.wait { db in
                // A commit is on disk when it returns.
                try db.run("PRAGMA synchronous = FULL")
                try db.limitCache(kilobytes: Writer.cacheKilobytes)
                checkpointer.follow(db.handle)
                if tunesFileAccess { WALWriteBuffer.install(on: db.handle) }
            }
            return SQLiteStore(
                writing: writing,
                readers: Readers { try connect(path, isReadOnly: true) },
                checkpointer: checkpointer,
                memoryBytes: memoryBytes,
                path: path,
                lock: lock
            )
        } catch {
            throw StorageError(sqlite: error, path: path)
        }
    }

    /// Recounts the delivery log where its counts use other reasons than this version.
    private static func recount(_ db: Connection, logger: Logger) throws {
        let start = ContinuousClock.now
        guard try Writer(db, memoryBytes: 0).transaction({ try $0.recountReasons() }) else { return }
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

    /// Opens a connection to the data, with the settings that all have.
    static func connect(_ path: String, isReadOnly: Bool = false) throws -> Connection {
        let db = try Connection(path: path, isReadOnly: isReadOnly)
        try db.limitCache(kilobytes: 16_000)
        try db.run("PRAGMA temp_store = MEMORY")
        // Removed bytes are overwritten, so that no file contains an erased consumer. Some distributions build SQLite so;
        // this setting requires it.
        try db.run("PRAGMA secure_delete = ON")
        // A damaged page is detected when it is read, before its cells are used.
        try db.run("PRAGMA cell_size_check = ON")
        return db
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
    func transaction<Value>(_ db: Connection, _ work: (Writer) throws -> Value) throws -> Value {
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
        _ work: @escaping @Sendable (Connection) throws -> Value
    ) async throws(StorageError) -> Value {
        guard !isClosed.withLock({ $0 }) else { throw .closed }
        let result: Result<Value, StorageError> = await withCheckedContinuation { continuation in
            writing.submit { connection in
                do {
                    continuation.resume(returning: .success(try work(try connection.get())))
                } catch {
                    continuation.resume(returning: .failure(self.failure(error)))
                }
                self.tidyUp(connection)
            }
        }
        return try result.get()
    }

    /// Runs on the calling thread, which waits for the writer's queue, in a transaction of its own, and returns when it
    /// is synced.
    private func writeHere<Value>(_ work: (Writer) throws -> Value) throws(StorageError) -> Value {
        guard !isClosed.withLock({ $0 }) else { throw .closed }
        do {
            let (result, isTidy) = try writing.wait { db in
                (Result { try self.transaction(db, work) }, self.isTidy(db))
            }
            if !isTidy { writing.submit { self.tidyUp($0) } }
            return try result.get()
        } catch { throw failure(error) }
    }

    /// Whether nothing is left to do after a commit; on the writer's queue.
    private func isTidy(_ db: Connection) -> Bool {
        (try? writer.writer(of: db))?.isIndexingDue != true && !checkpointer.isWriterNext
    }

    /// Does what is due after a commit; on the writer's queue, when the callers of the commit have got their results.
    private func tidyUp(_ connection: Result<Connection, any Error>) {
        guard let db = try? connection.get() else { return }
        indexLog(db)
        checkpointer.moveRest(of: db)
    }

    /// Indexes the new rows of the delivery log, when there are enough; on the writer's queue.
    ///
    /// After an error the rows are read one by one; the next commit fails too, or indexes them.
    private func indexLog(_ db: Connection) {
        guard let writer = try? writer.writer(of: db) else { return }
        while writer.isIndexingDue {
            guard (try? writer.transaction { try $0.indexLog() }) != nil else { return }
        }
    }

    /// Runs on a reader's queue, in a snapshot.
    func read<Value: Sendable>(
        _ work: @escaping @Sendable (ReadConnection) throws -> Value
    ) async throws(StorageError) -> Value {
        guard !isClosed.withLock({ $0 }) else { throw .closed }
        switch await readers.read(work) {
        case .success(let value): return value
        case .failure(let error): throw failure(error)
        }
    }

    package func inSnapshot<Value: Sendable>(
        _ work: @escaping @Sendable (any SQLReader) throws -> Value
    ) async throws(StorageError) -> Value {
        try await read { try work($0) }
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
            writing.submit { connection in
                self.writer.close()
                self.recent.forgetAll()
                if let db = try? connection.get() { Checkpointer.unfollow(db.handle) }
                continuation.resume()
            }
        }
        // Blocks until the checkpoint and the readers are done: not on a thread of the cooperative pool.
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            DispatchQueue.global().async {
                self.checkpointer.close()
                self.readers.close()
                // A connection that closes moves nothing while another process reads. When this fails, the next start reads
                // the WAL.
                _ = try? self.writing.wait { try $0.checkpoint(SQLITE_CHECKPOINT_TRUNCATE) }
                self.writing.close()
                continuation.resume()
            }
        }
        lock.release()
    }

    package func probe() async throws(StorageError) {
        _ = try await read { try $0.prepare("SELECT count(*) FROM incarnations").hasRow() }
    }

    package func unfinishedPushes() async throws(StorageError) -> (count: Int, oldest: Timestamp?) {
        try await read { db in
            let row = try db.prepare("SELECT count(*), min(queued_at) FROM outbox WHERE held = 0")
            return try row.first { (try $0.value(0), try $0.value(1)) } ?? (0, nil)
        }
    }

    package func probeWriting() async throws(StorageError) { try await write { try $0.keepHighMark() } }

    package func commit(_ turn: WriterTurn) async throws(StorageError) -> WriterTurnResult {
        let mayBlock = withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil }
        return mayBlock ? try writeHere { try $0.commit(turn) } : try await write { try $0.commit(turn) }
    }
}

/// The writer's state, reached only from the writer's queue.
private final class WriterBox: @unchecked Sendable {
    // Guarded by the writer's queue, which runs one closure at a time.
    private var writer: Writer?
    private var isClosed = false
    private let memoryBytes: Int
    private let recent: RecentChanges

    init(memoryBytes: Int, recent: RecentChanges) {
        self.memoryBytes = memoryBytes
        self.recent = recent
    }

    func writer(of db: Connection) throws -> Writer {
        if let writer { return writer }
        // A call that was admitted just before the store closed must not open the writer again.
        guard !isClosed else { throw StorageError.closed }
        let made = Writer(db, memoryBytes: memoryBytes, recent: recent)
        writer = made
        return made
    }

    func close() {
        isClosed = true
        writer = nil
    }
}
