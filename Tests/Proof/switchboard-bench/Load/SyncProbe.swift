import Foundation
import ProcessHarness

/// Measures the disk alone: a file repeatedly grows by the size of a commit and is synced.
struct SyncProbe {
    /// About the growth of the WAL for a commit of a few events: 16 pages.
    static let bytes = 64 << 10

    /// Appends and syncs.
    ///
    /// - Parameters:
    ///   - path: A new file on the file system to measure.
    ///   - count: The number of syncs.
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
