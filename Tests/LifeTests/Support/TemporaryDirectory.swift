import Foundation

/// A directory that goes with the last one who holds it.
final class TemporaryDirectory: Sendable {
    /// The directory, which exists.
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "switchboard-life-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A path in it.
    func path(_ name: String) -> String { path + "/" + name }
}
