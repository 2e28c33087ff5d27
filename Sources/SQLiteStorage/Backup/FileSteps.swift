import Foundation
import GatewayStorage

/// Steps on names in one directory, each on disk when it returns.
struct FileSteps {
    /// The file whose directory it is.
    let path: String

    /// Gives a file another name, replacing what had it.
    func move(_ old: String, to new: String) throws(BackupError) {
        guard rename(old, new) == 0 else { throw failure(new) }
        try sync()
    }

    /// Gives a file a second name; false when there is no such file.
    func link(_ old: String, _ new: String) throws(BackupError) -> Bool {
        if Foundation.link(old, new) == 0 {
            try sync()
            return true
        }
        guard errno == ENOENT else { throw failure(new) }
        return false
    }

    /// Takes a name away, if it is there.
    func remove(_ name: String) throws(BackupError) {
        guard unlink(name) == 0 || errno == ENOENT else { throw failure(name) }
        try sync()
    }

    private func sync() throws(BackupError) {
        let directory = (path as NSString).deletingLastPathComponent
        let descriptor = open(directory.isEmpty ? "." : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(path) }
    }

    private func failure(_ name: String) -> BackupError {
        .target(.unavailable(detail: DatabaseCopy.systemError()), path: name)
    }
}
