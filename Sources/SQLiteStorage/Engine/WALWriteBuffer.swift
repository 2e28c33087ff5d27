import GRDBSQLite

/// Buffers the frames of a commit, so that they go to the WAL in one write instead of two for each page.
///
/// SQLite writes a frame's header and its page by separate calls: a third of the cost of a commit. No reader uses
/// frames before they are committed, and with `synchronous = FULL`, which the connection must keep, a commit is synced
/// before it is valid (`sqlite3WalFrames` in SQLite's `wal.c`). Every other operation of SQLite on the file first
/// writes the buffered bytes.
final class WALWriteBuffer: @unchecked Sendable {
    // Guarded by the writer's queue: SQLite calls it from there, and it is freed after the connection is closed.
    private let installed: UnsafeMutablePointer<Methods>

    /// The capacity of the buffer, in bytes: 31 frames.
    ///
    /// SQLite's own file methods write no more than this at once.
    private static let capacity = 0x1FFFF

    /// The methods that SQLite calls, followed by their state.
    private struct Methods {
        /// The first member, so that a file's methods lead here.
        var methods: sqlite3_io_methods
        var original: UnsafePointer<sqlite3_io_methods>
        var bytes: UnsafeMutableRawPointer
        /// The offset of the buffered bytes in the file.
        var start: sqlite3_int64 = 0
        var count = 0
    }

    /// Replaces the methods of a connection's WAL; nil when SQLite does not expose it, or where it is not safe.
    ///
    /// - Parameter connection: The writer's connection, which has read in WAL mode, and is not in use.
    init?(_ connection: OpaquePointer) {
        guard let file = UnsafeMutablePointer.file(of: connection, SQLITE_FCNTL_JOURNAL_POINTER),
            let original = file.pointee.pMethods,
            // Elsewhere SQLite pads the WAL's last sector after the sync, and readers may read that part.
            original.pointee.xDeviceCharacteristics(file) & SQLITE_IOCAP_POWERSAFE_OVERWRITE != 0
        else { return nil }
        installed = .allocate(capacity: 1)
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: Self.capacity, alignment: 16)
        installed.initialize(to: Methods(methods: original.pointee, original: original, bytes: bytes))
        installed.pointee.methods.xWrite = { WALWriteBuffer.write($0, $1, $2, $3) }
        installed.pointee.methods.xRead = { file, bytes, count, offset in
            WALWriteBuffer.written(file) { $0.pointee.xRead(file, bytes, count, offset) }
        }
        installed.pointee.methods.xSync = { file, flags in
            WALWriteBuffer.written(file) { $0.pointee.xSync(file, flags) }
        }
        installed.pointee.methods.xTruncate = { file, size in
            WALWriteBuffer.written(file) { $0.pointee.xTruncate(file, size) }
        }
        installed.pointee.methods.xFileSize = { file, size in
            WALWriteBuffer.written(file) { $0.pointee.xFileSize(file, size) }
        }
        file.use(installed)
    }

    /// Frees the methods; the connection must be closed.
    func free() {
        installed.pointee.bytes.deallocate()
        installed.deallocate()
    }

    private static func write(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ bytes: UnsafeRawPointer?,
        _ count: Int32,
        _ offset: sqlite3_int64
    ) -> Int32 {
        guard let mine = file?.methods(Methods.self), let bytes else { return SQLITE_IOERR }
        let size = Int(count)
        let continues = offset == mine.pointee.start + sqlite3_int64(mine.pointee.count)
        if !continues || mine.pointee.count + size > capacity {
            let code = flush(file, mine)
            guard code == SQLITE_OK else { return code }
        }
        guard size <= capacity else { return mine.pointee.original.pointee.xWrite(file, bytes, count, offset) }
        if mine.pointee.count == 0 { mine.pointee.start = offset }
        (mine.pointee.bytes + mine.pointee.count).copyMemory(from: bytes, byteCount: size)
        mine.pointee.count += size
        return SQLITE_OK
    }

    /// Writes the buffered bytes, then runs an operation of the original methods.
    private static func written(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ work: (UnsafePointer<sqlite3_io_methods>) -> Int32
    ) -> Int32 {
        guard let mine = file?.methods(Methods.self) else { return SQLITE_IOERR }
        let code = flush(file, mine)
        return code == SQLITE_OK ? work(mine.pointee.original) : code
    }

    /// Writes the buffered bytes.
    ///
    /// After an error they are dropped: SQLite gets the error, rolls back the transaction and overwrites the range.
    private static func flush(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ mine: UnsafeMutablePointer<Methods>
    ) -> Int32 {
        guard mine.pointee.count > 0 else { return SQLITE_OK }
        let count = mine.pointee.count
        mine.pointee.count = 0
        return mine.pointee.original.pointee.xWrite(file, mine.pointee.bytes, Int32(count), mine.pointee.start)
    }
}
