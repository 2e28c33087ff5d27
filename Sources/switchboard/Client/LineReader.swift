import Foundation
import GatewayClient

/// Reads a file or standard input line by line, with one chunk in memory.
struct LineReader {
    /// The longest line in bytes: a request body has at most 16 MiB.
    static let maxLineBytes = 16 << 20

    private let handle: FileHandle
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false

    /// Opens a file, or with `-` standard input; throws ``CommandFailure``.
    init(path: String) throws {
        if path == "-" {
            handle = .standardInput
        } else {
            guard let file = FileHandle(forReadingAtPath: path) else {
                throw CommandFailure(.usage, "\(path) cannot be read")
            }
            handle = file
        }
    }

    /// Returns the next line without its line break; nil at the end of the file.
    ///
    /// - Returns: The line; empty lines too.
    /// - Throws: ``CommandFailure`` for a line that is too long, or a read error.
    mutating func next() throws -> ArraySlice<UInt8>? {
        var searched = position
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { position = end + 1 }
                return buffer[position..<end]
            }
            if isAtEnd {
                guard position < buffer.count else { return nil }
                defer { position = buffer.count }
                return buffer[position...]
            }
            guard buffer.count - position <= Self.maxLineBytes else {
                throw CommandFailure(.failure, "a line is longer than \(Self.maxLineBytes) bytes")
            }
            buffer.removeSubrange(..<position)
            position = 0
            searched = buffer.count
            let piece: Data?
            do { piece = try handle.read(upToCount: 1 << 18) } catch {
                throw CommandFailure(.failure, "the input cannot be read: \(error.localizedDescription)")
            }
            if let piece, !piece.isEmpty { buffer += piece } else { isAtEnd = true }
        }
    }
}
