internal import Foundation
import GatewayStorage
internal import TextFormats

/// A copy of the data, beside it, made before migrations change it.
struct MigrationCopy {
    /// The database.
    let source: String
    /// The last applied migration.
    let last: String
    /// The free bytes on the file system of a path; nil when unknown.
    var freeBytes: (_ path: String) -> UInt64? = FreeSpace.bytes(at:)

    /// The target file, named after its schema.
    var path: String { "\(source).at-\(last)" }

    /// Makes the copy; an existing one is replaced when the new one is complete.
    ///
    /// - Parameter bytes: The size of the database.
    /// - Returns: The report of the copy.
    /// - Throws: `StorageError`; then an existing copy is untouched.
    func take(bytes: UInt64) throws(StorageError) -> BackupReport {
        let partial = path + ".partial"
        // The rest of a killed start counts as free.
        unlink(partial)
        let directory = source.folderOfPath
        // The copy, and the WAL and the growth of a migration that writes all of the data.
        let needed = bytes * 5 / 2
        if let free = freeBytes(directory.isEmpty ? "." : directory), free < needed {
            throw .full(
                detail:
                    "the data is copied to \(path) before it is migrated, which needs \(needed) bytes in all, and \(free) "
                    + "are free; make room, or set storage.copyBeforeMigration to false when you have a backup"
            )
        }
        do {
            let report = try DatabaseCopy(source: source, partial: partial, check: .quick).run { _, _ in }
            try FileSteps(path: path).move(partial, to: path)
            return report
        } catch {
            switch error {
            case .source(let error, _), .target(let error, _): throw error
            case .exists, .missing: throw .unavailable(detail: error.text)
            }
        }
    }
}
