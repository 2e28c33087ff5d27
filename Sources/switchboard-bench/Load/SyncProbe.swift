import Foundation
import ProcessHarness

/// What the disk alone takes: a file that grows by the size of a commit and is synced, again and again.
struct SyncProbe {
    /// About what the log of the database grows by for a commit of a few events: 16 pages.
    static let bytes = 64 << 10

    /// Appends and syncs.
    ///
    /// - Parameters:
    ///   - path: A file of its own on the file system in question.
    ///   - count: How often.
    /// - Returns: The seconds that each `fdatasync` took.
    /// - Throws: ``HarnessError`` when the file cannot be written.
    static func run(path: String, count: Int) throws -> [Double] {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard file >= 0 else { throw HarnessError("cannot write \(path)") }
        defer { close(file) }
        let block = [UInt8](repeating: 0x5A, count: bytes)
        return try (0..<count).map { _ in
            guard write(file, block, block.count) == block.count else { throw HarnessError("cannot write \(path)") }
            let start = ContinuousClock.now
            guard fdatasync(file) == 0 else { throw HarnessError("cannot sync \(path)") }
            return seconds(ContinuousClock.now - start)
        }
    }
}
