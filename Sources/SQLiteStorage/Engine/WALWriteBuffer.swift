import CSQLite

/// A buffer of the frames of a commit, so that they go to the WAL in one write instead of two for each page.
///
/// SQLite writes a frame's header and its page by separate calls: a third of the cost of a commit. No reader uses
/// frames before they are committed, and with `synchronous = FULL`, which the connection must keep, a commit is synced
/// before it is valid (`sqlite3WalFrames` in SQLite's `wal.c`). Every other operation of SQLite on the file first
/// writes the buffered bytes.
struct WALWriteBuffer {
    private typealias Methods = FileMethods<WALWriteBuffer>

    /// The capacity of the buffer, in bytes: 31 frames.
    ///
    /// SQLite's own file methods write no more than this at once.
    private static let capacity = 0x1FFFF

    private let bytes = UnsafeMutableRawPointer.allocate(byteCount: WALWriteBuffer.capacity, alignment: 16)
    /// The offset of the buffered bytes in the file.
    private var start: sqlite3_int64 = 0
    /// The number of buffered bytes.
    private(set) var count = 0

    /// Buffers the writes to a connection's WAL until the connection is closed.
    ///
    /// - Parameter connection: The writer's connection, which has read in WAL mode, and is not in use.
    /// - Returns: False when SQLite does not expose the file, or where it is not safe: then nothing is buffered.
    @discardableResult
    static func install(on connection: OpaquePointer) -> Bool {
        guard let file = UnsafeMutablePointer.file(of: connection, SQLITE_FCNTL_JOURNAL_POINTER),
            // Elsewhere SQLite pads the WAL's last sector after the sync, and readers may read that part.
            file.pointee.pMethods.pointee.xDeviceCharacteristics(file) & SQLITE_IOCAP_POWERSAFE_OVERWRITE != 0
        else { return false }
        Methods.install(on: file, state: WALWriteBuffer()) { methods in
            methods.xWrite = { WALWriteBuffer.write($0, $1, $2, $3) }
            methods.xRead = { file, bytes, count, offset in
                WALWriteBuffer.written(file) { $0.pointee.xRead(file, bytes, count, offset) }
            }
            methods.xSync = { file, flags in WALWriteBuffer.written(file) { $0.pointee.xSync(file, flags) } }
            methods.xTruncate = { file, size in WALWriteBuffer.written(file) { $0.pointee.xTruncate(file, size) } }
            methods.xFileSize = { file, size in WALWriteBuffer.written(file) { $0.pointee.xFileSize(file, size) } }
            methods.xClose = { file in
                // Bytes that still wait are of a transaction that was rolled back.
                Methods.of(file)?.pointee.state.bytes.deallocate()
                return Methods.close(file)
            }
        }
        return true
    }

    private static func write(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ bytes: UnsafeRawPointer?,
        _ count: Int32,
        _ offset: sqlite3_int64
    ) -> Int32 {
        guard let mine = Methods.of(file), let bytes else { return SQLITE_IOERR }
        let size = Int(count)
        if !mine.pointee.state.hasRoom(for: size, at: offset) {
            let code = flush(file, mine)
            guard code == SQLITE_OK else { return code }
        }
        guard size <= capacity else { return mine.pointee.original.pointee.xWrite(file, bytes, count, offset) }
        mine.pointee.state.append(bytes, size, at: offset)
        return SQLITE_OK
    }

    /// Whether a write continues the buffered bytes, and fits.
    private func hasRoom(for size: Int, at offset: sqlite3_int64) -> Bool {
        offset == start + sqlite3_int64(count) && count + size <= Self.capacity
    }

    private mutating func append(_ added: UnsafeRawPointer, _ size: Int, at offset: sqlite3_int64) {
        if count == 0 { start = offset }
        (bytes + count).copyMemory(from: added, byteCount: size)
        count += size
    }

    /// Writes the buffered bytes, then runs an operation of the original methods.
    private static func written(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ work: (UnsafePointer<sqlite3_io_methods>) -> Int32
    ) -> Int32 {
        guard let mine = Methods.of(file) else { return SQLITE_IOERR }
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
        let count = mine.pointee.state.count
        guard count > 0 else { return SQLITE_OK }
        mine.pointee.state.count = 0
        return mine.pointee.original.pointee.xWrite(
            file,
            mine.pointee.state.bytes,
            Int32(count),
            mine.pointee.state.start
        )
    }
}
