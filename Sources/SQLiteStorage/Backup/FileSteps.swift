import Foundation
import GatewayStorage
internal import TextFormats

/// File operations in one directory, each synced to disk when it returns.
struct FileSteps {
    /// A file in the directory.
    let path: String

    /// Renames a file, replacing an existing one.
    func move(_ old: String, to new: String) throws(BackupError) {
        guard rename(old, new) == 0 else { throw failure(new) }
        try sync()
    }

    /// Adds a hard link to a file; false when there is no such file.
    func link(_ old: String, _ new: String) throws(BackupError) -> Bool {
        if Foundation.link(old, new) == 0 {
            try sync()
            return true
        }
        guard errno == ENOENT else { throw failure(new) }
        return false
    }

    /// Removes a name, if it exists.
    func remove(_ name: String) throws(BackupError) {
        guard unlink(name) == 0 || errno == ENOENT else { throw failure(name) }
        try sync()
    }

    private func sync() throws(BackupError) {
        let directory = path.folderOfPath
        let descriptor = open(directory.isEmpty ? "." : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(path) }
    }

    private func failure(_ name: String) -> BackupError {
        .target(.unavailable(detail: DatabaseCopy.systemError()), path: name)
    }
}
