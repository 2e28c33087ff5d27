import GatewayStorage
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Keeps other processes away from the data: a lock of the system on a file beside the database, which dies with the
/// process.
final class DataLock: Sendable {
    /// Nil once it is given up.
    private let descriptor: Mutex<Int32?>

    /// Creates the lock.
    ///
    /// - Parameter path: The lock file; made when it is missing.
    /// - Throws: ``GatewayStorage/StorageError/locked(detail:)`` when another process has it.
    init(path: String) throws(StorageError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            if errno == EROFS || errno == EACCES { throw .readOnly(detail: "\(path): \(reason)") }
            if errno == ENOSPC { throw .full(detail: "\(path): \(reason)") }
            throw .unavailable(detail: "\(path): \(reason)")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .locked(detail: "\(path) is locked; is another switchboard running on this data directory?")
        }
        self.descriptor = Mutex(descriptor)
    }

    deinit { release() }

    /// Lets other processes at the data; again is fine.
    func release() {
        let held = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let held else { return }
        // Said aloud: a program that is just being started may have the descriptor too, for a moment.
        flock(held, LOCK_UN)
        close(held)
    }
}
