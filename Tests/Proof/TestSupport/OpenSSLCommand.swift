import Foundation
import Testing

/// The `openssl` command.
package enum OpenSSLCommand {
    /// Runs the command.
    ///
    /// - Parameters:
    ///   - arguments: `IN` and `OUT` stand for the names of its files.
    ///   - input: The content of the file `IN`.
    /// - Returns: The content of the file `OUT`.
    /// - Throws: An error when it fails.
    package static func run(_ arguments: [String], input: [UInt8]) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (from, to) = (folder.appendingPathComponent("in"), folder.appendingPathComponent("out"))
        try Data(input).write(to: from)
        let words = ["openssl"] + arguments.map { $0 == "IN" ? from.path : $0 == "OUT" ? to.path : $0 }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        // Foundation's `Process` waits on a thread that parallel tests may occupy.
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var child: pid_t = 0
        try #require(posix_spawn(&child, "/usr/bin/openssl", &actions, nil, &pointers, environ) == 0)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        try #require(status == 0)
        return [UInt8](try Data(contentsOf: to))
    }
}
