import Dispatch
import GRDB
import GRDBSQLite
import GatewayStorage
import Logging
import Synchronization
internal import Telemetry

/// Moves what the log holds into the database file beside the writer, on a connection and a thread of its own.
///
/// A checkpoint of a long log inside a commit would hold up everybody who waits for it. But the log starts over only when
/// all of it has been moved, and while it is being moved the writer adds to it. So the writer moves the last few pages
/// itself, between two commits, and everything when the log has outgrown its bound.
final class Checkpointer: Sendable {
    /// The pages of the log at which it begins to be moved, so that a page that changes often is written once: a quarter of
    /// the database, 64 to 256 MB.
    ///
    /// With much data, events change pages in no order: what a longer log saves is most of what moving it costs.
    private static let start = 16_000...64_000
    /// The most pages that the writer moves between two commits: about what a commit writes anyway.
    private static let tail = 400
    /// The log's length in such starts from which the writer moves all of it, 256 MB to 1 GB: only a disk that does not
    /// follow, or a reader that does not end, brings it there.
    private static let bound = 4

    private struct State {
        /// How long the log is.
        var pages = 0
        /// How many of its pages have been moved.
        var moved = 0
        /// How long the log must be to be moved at all.
        var start = Checkpointer.start.lowerBound
        /// How long the log must be for the next move beside the writer.
        var next = Checkpointer.start.lowerBound
        var isRunning = false
        /// The writer is to move the rest.
        var isWriterNext = false
    }

    private let queue: DatabaseQueue
    /// What makes its writes small; freed when the connection is closed.
    private let gentleFile: GentleFile?
    private let logger: Logger
    private let state = Mutex(State())

    /// Opens its connection.
    init(path: String, logger: Logger) throws {
        var configuration = Configuration()
        configuration.label = "switchboard.sqlite.checkpointer"
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
        queue = try DatabaseQueue(path: path, configuration: configuration)
        gentleFile = queue.inDatabase { db in db.sqliteConnection.flatMap(GentleFile.init) }
        self.logger = logger
    }

    /// Follows the log of the writer's connection; on the writer's queue, which must not outlive this object.
    func follow(_ writer: OpaquePointer) {
        // It takes the place of SQLite's own checkpoints.
        sqlite3_wal_hook(
            writer,
            { context, _, _, pages in
                if let context {
                    Unmanaged<Checkpointer>.fromOpaque(context).takeUnretainedValue().logGrew(to: Int(pages))
                }
                return SQLITE_OK
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Stops following; on the writer's queue.
    static func unfollow(_ writer: OpaquePointer) { sqlite3_wal_hook(writer, nil, nil) }

    /// Ends what runs; blocks.
    func close() {
        guard (try? queue.close()) != nil else { return }
        gentleFile?.free()
    }

    /// After each commit, within it: decides, because whoever made the commit waits for it.
    private func logGrew(to pages: Int) {
        let isMoving = state.withLock { state -> Bool in
            // The log has started over.
            if pages < state.pages { (state.moved, state.next) = (0, state.start) }
            state.pages = pages
            guard pages >= state.start else { return false }
            state.isWriterNext = pages - state.moved <= Self.tail || pages >= Self.bound * state.start
            guard !state.isWriterNext, !state.isRunning, pages >= state.next else { return false }
            state.isRunning = true
            return true
        }
        if isMoving { moveBesideWriter() }
    }

    /// Moves the rest when it is the writer's turn to; on the writer's queue, outside of a transaction, when those who
    /// waited for the last commit have been answered.
    ///
    /// A failure is met again by the next commit's move, or by its writes.
    func moveRest(of writer: Database) {
        let isNext = state.withLock { state in
            defer { state.isWriterNext = false }
            return state.isWriterNext
        }
        guard isNext, let handle = writer.sqliteConnection else { return }
        var moved: Int32 = -1
        // Busy while the other one runs: then the next commit tries again.
        sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, &moved)
        if moved >= 0 { state.withLock { $0.moved = Int(moved) } }
    }

    /// Moves what the log holds now beside the writer.
    func move() async {
        let isMoving = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isMoving else { return }
        await withCheckedContinuation { continuation in
            moveBesideWriter { continuation.resume() }
        }
    }

    /// Moves the rest, and makes the log's file empty; on the writer's queue, outside of a transaction.
    ///
    /// - Returns: False when somebody reads what is in it.
    /// - Throws: When the files cannot be written.
    func cutOff(_ writer: Database) throws -> Bool {
        guard let handle = writer.sqliteConnection else { return false }
        // Whoever begins to read afterwards needs nothing of the log.
        sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        // Nobody is waited for: events would wait too.
        sqlite3_busy_timeout(handle, 0)
        defer { sqlite3_busy_timeout(handle, Int32(SQLiteStore.busySeconds * 1000)) }
        let result = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        switch result {
        case SQLITE_OK:
            state.withLock { ($0.pages, $0.moved, $0.next) = (0, 0, $0.start) }
            return true
        case SQLITE_BUSY, SQLITE_LOCKED: return false
        default: throw DatabaseError(resultCode: ResultCode(rawValue: result))
        }
    }

    private func moveBesideWriter(_ completion: @escaping @Sendable () -> Void = {}) {
        queue.asyncWriteWithoutTransaction { db in
            defer { completion() }
            var moved: Int?
            var start: Int?
            do {
                start = try Int.fetchOne(db, sql: "PRAGMA page_count").map { Self.start.clamped($0 / 4) }
                moved = try db.checkpoint(.passive).checkpointedFrameCount
            } catch {
                self.logger.warning(
                    "the log could not be moved into the database; it is tried again",
                    metadata: [LogKey.errorText: "\(StorageError(sqlite: error, path: self.queue.path).text)"]
                )
            }
            self.state.withLock { state in
                if let moved, moved >= 0 { state.moved = moved }
                if let start { state.start = start }
                state.isRunning = false
                // When as much came as was moved, another move at once would only write the same pages again.
                let isCatchingUp = state.pages - state.moved < state.start / 2
                state.next = state.pages + (isCatchingUp ? Self.tail : state.start)
            }
        }
    }
}

extension ClosedRange where Bound == Int {
    /// The number of the range that is nearest to another.
    fileprivate func clamped(_ value: Int) -> Int { Swift.min(Swift.max(value, lowerBound), upperBound) }
}
