import GatewayStorage
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Locks the data against other processes: a file lock beside the database, which the system releases with the process.
final class DataLock: Sendable {
    /// Nil once the lock is released.
    private let descriptor: Mutex<Int32?>

    /// Takes the lock.
    ///
    /// - Parameter path: The lock file; created when it is missing.
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

    /// Releases the lock; may be called again.
    func release() {
        let held = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let held else { return }
        // Explicit, because a program that is just being started may inherit the descriptor for a moment.
        flock(held, LOCK_UN)
        close(held)
    }
}
