import Foundation

/// A directory that goes with the last one who holds it.
package final class TemporaryDirectory: Sendable {
    /// The directory, which exists.
    package let path: String

    /// Makes one where the system keeps temporary files.
    ///
    /// - Throws: When it cannot be made.
    package init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "switchboard-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A path in it.
    ///
    /// - Parameter name: Below the directory.
    /// - Returns: The whole path.
    package func path(_ name: String) -> String { path + "/" + name }
}
