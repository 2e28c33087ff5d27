import Foundation
import GatewayStorage

extension SQLiteStore {
    /// Copies the data into one file, whether a gateway runs on it or not.
    ///
    /// The file appears under its name when it is whole, checked and synced. Blocks.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - file: Where to; mode 0600.
    ///   - isReplacing: Whether a file that is there may be replaced.
    ///   - progress: Called now and then with pages done and pages in all.
    /// - Returns: What the backup holds.
    /// - Throws: ``BackupError``; nothing was changed then.
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

    /// The name of a restored database between the moment when the old one goes and the moment when it is in its place.
    ///
    /// - Parameter path: The database.
    /// - Returns: The file whose being there means that a restore did not come to its end.
    package static func unfinishedRestore(of path: String) -> String { path + ".restoring" }

    /// Puts a backup in the place of the data; nothing may run on it.
    ///
    /// The backup is copied and checked in full before anything is touched. The database that was there is kept under
    /// another name with its log. Blocks.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - file: The backup.
    ///   - isReplacing: Whether there may be a database already.
    ///   - suffix: What the name of the one that was there ends in, for example a time; a number follows where that is
    ///     taken.
    ///   - progress: Called now and then with pages done and pages in all.
    /// - Returns: What was restored.
    /// - Throws: ``BackupError``; the data is as it was then.
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
        // Second names first, so that at no moment the old data is only half under its new name.
        let aside = freeName("\(path).before-restore-\(suffix)")
        if try steps.link(path, aside) { report.keptAside = aside }
        _ = try steps.link(path + "-wal", aside + "-wal")
        // A log of the old database beside the new one would be read into it. While the new one has this name no gateway
        // starts, so it does not matter where a crash falls.
        try steps.move(copy.partial, to: unfinishedRestore(of: path))
        for end in ["-wal", "-shm", "-journal"] { try steps.remove(path + end) }
        try steps.move(unfinishedRestore(of: path), to: path)
        return report
    }

    /// The name, or the first one with a number behind it, that neither a database nor a log has.
    private static func freeName(_ name: String) -> String {
        var (free, number) = (name, 1)
        while [free, free + "-wal"].contains(where: { FileManager.default.fileExists(atPath: $0) }) {
            number += 1
            free = "\(name)-\(number)"
        }
        return free
    }
}
