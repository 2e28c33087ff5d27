import Foundation
package import GatewayStorage

extension SQLiteStore {
    /// Copies the data into one file, whether a gateway uses it or not.
    ///
    /// The file gets its name when it is complete, checked and synced. Blocks.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - file: The target file; mode 0600.
    ///   - isReplacing: Whether an existing file may be replaced.
    ///   - progress: Called regularly with the copied and the total number of pages.
    /// - Returns: The report of the backup.
    /// - Throws: ``BackupError``; then nothing was changed.
    package static func backup(
        path: String,
        to file: String,
        isReplacing: Bool,
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(BackupError) -> BackupReport {
        guard isReplacing || !FileManager.default.fileExists(atPath: file) else { throw .exists(path: file) }
        let copy = DatabaseCopy(source: path, partial: file + ".partial", check: .quick)
        let report = try copy.run(progress: progress)
        try FileSteps(path: file).move(copy.partial, to: file)
        return report
    }

    /// Adds a backup to a directory of backups, whether a gateway uses the data or not.
    ///
    /// The file gets its name, which contains the time, when it is complete, checked in full and synced; after that old
    /// ones are removed. Blocks.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - directory: The directory; it must exist.
    ///   - keeping: The number of backups that stay, the new one included, from 1; nil removes none.
    ///   - time: The time in UTC: `20260102T030405Z`.
    ///   - reservedBytes: The bytes that stay free on the directory's file system.
    ///   - progress: Called regularly with the copied and the total number of pages.
    /// - Returns: The file of the backup, and its report.
    /// - Throws: ``BackupError``; then no backup was removed, unless the error is one of a removal.
    package static func backup(
        path: String,
        into directory: String,
        keeping: Int?,
        time: String,
        reservedBytes: UInt64,
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(BackupError) -> (file: String, report: BackupReport) {
        try BackupDirectory(path: directory, reservedBytes: reservedBytes)
            .add(path, keeping: keeping, time: time, progress: progress)
    }

    /// Returns the newest backup in a directory of backups.
    ///
    /// - Parameter directory: The directory.
    /// - Returns: Its file; nil when there is none, or the path is not a directory.
    package static func newestBackup(in directory: String) -> String? {
        BackupName.all(in: directory).last.map { (directory as NSString).appendingPathComponent($0.fileName) }
    }

    /// Returns the copy that a newer version made of this version's data before migrating it.
    ///
    /// - Parameter path: The database.
    /// - Returns: The file; nil when there is none.
    package static func copyBeforeNewerVersion(of path: String) -> String? {
        guard let last = Migrations.all.last else { return nil }
        let copy = MigrationCopy(source: path, last: last.name).path
        return FileManager.default.fileExists(atPath: copy) ? copy : nil
    }

    /// Returns the name of a restored database between the removal of the old one and the rename to its path.
    ///
    /// - Parameter path: The database.
    /// - Returns: The file whose existence means that a restore did not complete.
    package static func unfinishedRestore(of path: String) -> String { path + ".restoring" }

    /// Replaces the data by a backup; no process may use the data.
    ///
    /// The backup is copied and checked in full before anything is changed. The earlier database is kept under another
    /// name with its WAL. Blocks.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - file: The backup.
    ///   - isReplacing: Whether a database may exist already.
    ///   - suffix: The suffix of the earlier database's new name, for example a time; a number is appended where the
    ///     name is taken.
    ///   - progress: Called regularly with the copied and the total number of pages.
    /// - Returns: The report of the restore.
    /// - Throws: ``BackupError``; then the data is unchanged.
    package static func restore(
        path: String,
        from file: String,
        isReplacing: Bool,
        suffix: String,
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(BackupError) -> BackupReport {
        let lock: DataLock
        do { lock = try DataLock(path: path + ".lock") } catch { throw .target(error, path: path) }
        defer { lock.release() }
        guard isReplacing || !FileManager.default.fileExists(atPath: path) else { throw .exists(path: path) }
        let copy = DatabaseCopy(source: file, partial: path + ".restore-partial", check: .full)
        var report = try copy.run(progress: progress)

        let steps = FileSteps(path: path)
        // Links first, so that the old data is at no moment only half under its new name.
        let aside = freeName("\(path).before-restore-\(suffix)")
        if try steps.link(path, aside) { report.keptAside = aside }
        _ = try steps.link(path + "-wal", aside + "-wal")
        // The old database's WAL beside the new database would be applied to it. While the new one has this name no
        // gateway starts, so that a crash is harmless at any point.
        try steps.move(copy.partial, to: unfinishedRestore(of: path))
        for end in ["-wal", "-shm", "-journal"] { try steps.remove(path + end) }
        try steps.move(unfinishedRestore(of: path), to: path)
        return report
    }

    /// Returns the name, or the first one with a number appended, that neither a database nor a WAL has.
    private static func freeName(_ name: String) -> String {
        var (free, number) = (name, 1)
        while [free, free + "-wal"].contains(where: { FileManager.default.fileExists(atPath: $0) }) {
            number += 1
            free = "\(name)-\(number)"
        }
        return free
    }
}
