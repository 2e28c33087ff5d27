import CSQLite
import GatewayStorage
import Logging
import Synchronization
internal import Telemetry

/// Checkpoints the WAL into the database file concurrently with the writer, on a connection and a thread of its own.
///
/// A checkpoint of a long WAL inside a commit would delay every call that waits for it. But the WAL restarts only when
/// all of it has been checkpointed, and during a checkpoint the writer appends to it. So the writer moves the last few
/// pages itself, between two commits, and everything when the WAL has outgrown its bound.
final class Checkpointer: Sendable {
    /// The pages in the WAL at which a checkpoint begins, so that a page that changes often is written once: a quarter
    /// of the database, 64 to 256 MB.
    ///
    /// With much data, events change pages in random order: a longer WAL saves most of the cost of a checkpoint.
    private static let start = 16_000...64_000
    /// The upper bound of the pages that the writer moves between two commits: about as many as a commit writes anyway.
    private static let tail = 400
    /// The length of the WAL, in multiples of the start, from which the writer moves all of it, 256 MB to 1 GB: only a
    /// disk that is too slow, or a reader that does not end, lets it grow so far.
    private static let bound = 4

    private struct State {
        /// The length of the WAL.
        var pages = 0
        /// The number of its pages that have been moved.
        var moved = 0
        /// The length of the WAL at which a first checkpoint begins.
        var start = Checkpointer.start.lowerBound
        /// The length of the WAL at which the next checkpoint concurrently with the writer begins.
        var next = Checkpointer.start.lowerBound
        var isRunning = false
        /// Whether the writer is to move the rest.
        var isWriterNext = false
    }

    /// The queue of its connection.
    let queue: ConnectionQueue
    private let path: String
    private let logger: Logger
    private let state = Mutex(State())

    /// Opens its connection.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - isThrottled: Whether its writes leave the disk to others; see ``ThrottledCheckpointFile``.
    ///   - logger: The logger for warnings.
    /// - Throws: An error of SQLite.
    init(path: String, isThrottled: Bool, logger: Logger) throws {
        self.path = path
        self.logger = logger
        queue = ConnectionQueue(label: "switchboard.sqlite.checkpointer") {
            let connection = try Connection(path: path)
            try connection.run("PRAGMA wal_autocheckpoint = 0")
            if isThrottled { ThrottledCheckpointFile.install(on: connection.handle) }
            return connection
        }
        try queue.wait { _ in }
    }

    /// Watches the WAL of the writer's connection; on the writer's queue, which must not outlive this object.
    func follow(_ writer: OpaquePointer) {
        // Replaces SQLite's automatic checkpoints.
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

    /// Stops watching; on the writer's queue.
    static func unfollow(_ writer: OpaquePointer) { sqlite3_wal_hook(writer, nil, nil) }

    /// Ends a running checkpoint; blocks.
    func close() { queue.close() }

    /// Called within each commit: only decides, because the caller waits for the commit.
    private func logGrew(to pages: Int) {
        let isMoving = state.withLock { state -> Bool in
            // The WAL has restarted.
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

    /// Whether the writer is to move the rest after its commit.
    var isWriterNext: Bool { state.withLock { $0.isWriterNext } }

    /// Moves the rest when it is the writer's turn; on the writer's queue, outside of a transaction, when the callers
    /// of the last commit have got their results.
    ///
    /// An error recurs in the next commit's checkpoint or in its writes.
    func moveRest(of writer: Connection) {
        let isNext = state.withLock { state in
            defer { state.isWriterNext = false }
            return state.isWriterNext
        }
        // Busy while the other checkpoint runs: then the next commit tries again.
        guard isNext, let moved = try? writer.checkpoint(SQLITE_CHECKPOINT_PASSIVE), moved >= 0 else { return }
        state.withLock { $0.moved = moved }
    }

    /// Moves the present content of the WAL concurrently with the writer.
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

    /// Moves the rest, and truncates the WAL file; on the writer's queue, outside of a transaction.
    ///
    /// - Returns: False when a reader uses the WAL.
    /// - Throws: When the files cannot be written.
    func cutOff(_ writer: Connection) throws -> Bool {
        // A reader that begins afterwards needs nothing of the WAL.
        _ = try? writer.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
        // No waiting for readers: events would wait too.
        sqlite3_busy_timeout(writer.handle, 0)
        defer { sqlite3_busy_timeout(writer.handle, Connection.busyMilliseconds) }
        do {
            try writer.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
        } catch let error as SQLiteError where [SQLITE_BUSY, SQLITE_LOCKED].contains(error.primaryCode) {
            return false
        }
        state.withLock { ($0.pages, $0.moved, $0.next) = (0, 0, $0.start) }
        return true
    }

    private func moveBesideWriter(_ completion: @escaping @Sendable () -> Void = {}) {
        queue.submit { connection in
            defer { completion() }
            var moved: Int?
            var start: Int?
            do {
                let db = try connection.get()
                start = Self.start.clamped(try db.size.pages / 4)
                moved = try db.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
            } catch StorageError.closed {
                // The gateway stops.
            } catch {
                self.logger.warning(
                    "the WAL checkpoint failed; it is retried",
                    metadata: [LogKey.errorText: "\(StorageError(sqlite: error, path: self.path).text)"]
                )
            }
            self.state.withLock { state in
                if let moved, moved >= 0 { state.moved = moved }
                if let start { state.start = start }
                state.isRunning = false
                // When as much was added as was moved, another checkpoint at once would only write the same pages
                // again.
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
