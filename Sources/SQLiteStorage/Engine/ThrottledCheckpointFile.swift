import CSQLite
import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A throttle of one connection's writes to the database file: after every few pages they are synced, and the disk is
/// left to others for as long as the sync took.
///
/// Otherwise a checkpoint hands the disk thousands of pages at once, and every concurrent commit waits until they are
/// written: 10 to 20 ms (measured).
struct ThrottledCheckpointFile {
    private typealias Methods = FileMethods<ThrottledCheckpointFile>

    /// Pages between two syncs: 256 KB, which the disk writes about as fast as a commit.
    private static let pages = 64

    private var unsynced = 0
    /// Waits for some microseconds.
    private let pause: (UInt32) -> Void

    /// Throttles the writes of a connection until it is closed.
    ///
    /// - Parameters:
    ///   - connection: A connection that is not in use.
    ///   - pause: Waits for some microseconds.
    /// - Returns: False when SQLite does not expose the file: then nothing is throttled.
    @discardableResult
    static func install(on connection: OpaquePointer, pause: @escaping (UInt32) -> Void = { _ = usleep($0) }) -> Bool {
        guard let file = UnsafeMutablePointer.file(of: connection, SQLITE_FCNTL_FILE_POINTER) else { return false }
        Methods.install(on: file, state: ThrottledCheckpointFile(pause: pause)) { methods in
            methods.xWrite = { ThrottledCheckpointFile.write($0, $1, $2, $3) }
            methods.xClose = { Methods.close($0) }
        }
        return true
    }

    private static func write(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ bytes: UnsafeRawPointer?,
        _ count: Int32,
        _ offset: sqlite3_int64
    ) -> Int32 {
        guard let mine = Methods.of(file) else { return SQLITE_IOERR }
        let code = mine.pointee.original.pointee.xWrite(file, bytes, count, offset)
        guard code == SQLITE_OK else { return code }
        mine.pointee.state.unsynced += 1
        guard mine.pointee.state.unsynced >= pages else { return SQLITE_OK }
        mine.pointee.state.unsynced = 0
        let start = DispatchTime.now().uptimeNanoseconds
        // The system reports an error once: the sync at the checkpoint's end might miss it.
        let synced = mine.pointee.original.pointee.xSync(file, SQLITE_SYNC_NORMAL)
        guard synced == SQLITE_OK else { return synced }
        mine.pointee.state.pause(UInt32(clamping: (DispatchTime.now().uptimeNanoseconds - start) / 1000))
        return SQLITE_OK
    }
}
