internal import Foundation
import GatewayStorage

/// A directory of backups that are named by their time; one process at a time writes in it.
struct BackupDirectory {
    /// The directory; it must exist, so that a disk that is not mounted is noticed.
    let path: String
    /// The bytes that stay free on its file system.
    var reservedBytes: UInt64
    /// The free bytes on the file system of a path; nil when unknown.
    var freeBytes: (_ path: String) -> UInt64? = FreeSpace.bytes(at:)

    /// Adds a backup, and removes old ones once it is complete, checked in full and synced.
    ///
    /// - Parameters:
    ///   - source: The database.
    ///   - keeping: The number of backups that stay, the new one included, from 1; nil removes none.
    ///   - time: The time in UTC: `20260102T030405Z`.
    ///   - progress: Called regularly with the copied and the total number of pages.
    /// - Returns: The file of the backup, and its report.
    /// - Throws: ``BackupError``; then no backup was removed, unless the error is one of a removal.
    func add(
        _ source: String,
        keeping: Int?,
        time: String,
        progress: (_ done: Int, _ total: Int) -> Void
    ) throws(BackupError) -> (file: String, report: BackupReport) {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw .missing(path: path)
        }
        guard isDirectory.boolValue else { throw .target(.unavailable(detail: "it is not a directory"), path: path) }
        let lock = try takeLock()
        defer { lock.release() }
        let partial = file(".switchboard.partial")
        // The rest of a backup that was killed counts as free.
        unlink(partial)
        try checkSpace(for: source)

        let earlier = BackupName.all(in: path)
        var new = BackupName(time: time)
        while earlier.contains(new) { new = BackupName(time: time, number: new.number + 1) }
        // The full check: damaged data must not push intact backups out.
        let copy = DatabaseCopy(source: source, partial: partial, check: .full)
        var report = try copy.run(progress: progress)
        let steps = FileSteps(path: partial)
        try steps.move(partial, to: file(new.fileName))
        guard let keeping else { return (file(new.fileName), report) }
        // By their names, but never the new one: the clock may have been ahead before.
        for old in earlier.dropLast(max(0, keeping - 1)) {
            try steps.remove(file(old.fileName))
            report.removed.append(file(old.fileName))
        }
        return (file(new.fileName), report)
    }

    private func file(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

    private func takeLock() throws(BackupError) -> DataLock {
        do {
            return try DataLock(path: file(".switchboard.lock"))
        } catch {
            if case .locked = error { throw .target(.locked(detail: "another backup is writing to it"), path: path) }
            throw .target(error, path: path)
        }
    }

    /// Checks that a copy fits, so that a backup on the gateway's own disk does not fill it.
    private func checkSpace(for source: String) throws(BackupError) {
        guard let free = freeBytes(path) else { return }
        let bytes: UInt64
        do { bytes = try Schema.read(path: source).bytes } catch {
            guard FileManager.default.fileExists(atPath: source) else { throw .missing(path: source) }
            throw .source(StorageError(sqlite: error, path: source), path: source)
        }
        guard free < bytes + reservedBytes else { return }
        throw .target(
            .full(
                detail: "a backup has \(bytes) bytes and must leave \(reservedBytes) free, and \(free) are free; make "
                    + "room, or keep fewer backups"
            ),
            path: path
        )
    }
}
