import Dispatch
import GRDBSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Throttles one connection's writes to the database file: after every few pages they are synced, and the disk is left
/// to others for as long as the sync took.
///
/// Otherwise a checkpoint hands the disk thousands of pages at once, and every concurrent commit waits until they are
/// written: 10 to 20 ms (measured).
///
/// `@unchecked Sendable`: guarded by the connection's queue. SQLite calls it from there, and it is freed after the
/// connection is closed.
final class ThrottledCheckpointFile: @unchecked Sendable {
    private let installed: UnsafeMutablePointer<Methods>

    /// Pages between two syncs: 256 KB, which the disk writes about as fast as a commit.
    private static let pages = 64

    /// The methods that SQLite calls, followed by their state.
    private struct Methods {
        /// The first member, so that a file's methods lead here.
        var methods: sqlite3_io_methods
        var original: UnsafePointer<sqlite3_io_methods>
        var unsynced = 0
    }

    /// Replaces a connection's file methods; nil when SQLite does not expose its file.
    ///
    /// - Parameter connection: A connection that is not in use.
    init?(_ connection: OpaquePointer) {
        guard let file = UnsafeMutablePointer.file(of: connection, SQLITE_FCNTL_FILE_POINTER),
            let original = file.pointee.pMethods
        else { return nil }
        installed = .allocate(capacity: 1)
        installed.initialize(to: Methods(methods: original.pointee, original: original))
        installed.pointee.methods.xWrite = { file, bytes, count, offset in
            ThrottledCheckpointFile.write(file, bytes, count, offset)
        }
        file.use(installed)
    }

    /// Frees the methods; the connection must be closed.
    func free() { installed.deallocate() }

    private static func write(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ bytes: UnsafeRawPointer?,
        _ count: Int32,
        _ offset: sqlite3_int64
    ) -> Int32 {
        guard let file, let mine = file.methods(Methods.self) else { return SQLITE_IOERR }
        let code = mine.pointee.original.pointee.xWrite(file, bytes, count, offset)
        guard code == SQLITE_OK else { return code }
        mine.pointee.unsynced += 1
        guard mine.pointee.unsynced >= pages else { return SQLITE_OK }
        mine.pointee.unsynced = 0
        let start = DispatchTime.now().uptimeNanoseconds
        // The system reports an error once: the sync at the checkpoint's end might miss it.
        let synced = mine.pointee.original.pointee.xSync(file, SQLITE_SYNC_NORMAL)
        guard synced == SQLITE_OK else { return synced }
        usleep(UInt32(clamping: (DispatchTime.now().uptimeNanoseconds - start) / 1000))
        return SQLITE_OK
    }
}
