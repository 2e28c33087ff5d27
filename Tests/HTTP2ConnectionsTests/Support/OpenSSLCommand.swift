import Foundation
import Testing

/// The `openssl` command.
enum OpenSSLCommand {
    /// Runs the command.
    ///
    /// - Parameters:
    ///   - arguments: `IN` and `OUT` stand for the names of its files.
    ///   - input: The content of the file `IN`.
    /// - Returns: The content of the file `OUT`.
    /// - Throws: An error when it fails.
    static func run(_ arguments: [String], input: [UInt8]) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (from, to) = (folder.appendingPathComponent("in"), folder.appendingPathComponent("out"))
        try Data(input).write(to: from)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments.map { $0 == "IN" ? from.path : $0 == "OUT" ? to.path : $0 }
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return [UInt8](try Data(contentsOf: to))
    }
}
