internal import Foundation
import GatewayStorage

/// A copy of the data, beside it, that is taken before migrations change it.
struct MigrationCopy {
    /// The database.
    let source: String
    /// The last migration that the data has.
    let last: String
    /// The bytes that are free on the file system of a path; nil when it does not say.
    var freeBytes: (_ path: String) -> UInt64? = FreeSpace.bytes(at:)

    /// The file that is made; named after the schema that it has.
    var path: String { "\(source).at-\(last)" }

    /// Makes the copy; one that is there is replaced when the new one is whole.
    ///
    /// - Parameter bytes: The size of the database.
    /// - Returns: What the copy holds.
    /// - Throws: `StorageError`; a copy that was there is untouched then.
    func take(bytes: UInt64) throws(StorageError) -> BackupReport {
        let partial = path + ".partial"
        // What a start that was killed has left counts as free.
        unlink(partial)
        let directory = (source as NSString).deletingLastPathComponent
        if let free = freeBytes(directory.isEmpty ? "." : directory), free < bytes {
            throw .full(
                detail:
                    "the data is copied to \(path) before it is migrated, which needs \(bytes) bytes, and \(free) are "
                    + "free; make room, or set storage.copyBeforeMigration to false when you have a backup"
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
