import Foundation

/// A temporary directory that is removed with the last reference.
package final class TemporaryDirectory: Sendable {
    /// The directory, which exists.
    package let path: String

    /// Creates a directory among the system's temporary files.
    package init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "switchboard-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the whole path of a name below the directory.
    package func path(_ name: String) -> String { path + "/" + name }
}
