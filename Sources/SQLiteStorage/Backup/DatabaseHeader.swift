import Foundation
import GatewayStorage

/// The header of a database file (sqlite.org/fileformat2.html, section 1.3), read without SQLite.
///
/// SQLite calls every file that it cannot read malformed; the header says whether it is incomplete or of another kind.
struct DatabaseHeader {
    /// The first bytes of every SQLite file.
    private static let magic = Array("SQLite format 3\0".utf8)
    private static let length = 100

    /// The size of the file in bytes.
    let fileBytes: UInt64
    /// The first bytes of the file; fewer than ``length`` if the file is shorter.
    private let bytes: [UInt8]

    /// Reads the header of a file.
    ///
    /// - Parameter path: The file.
    /// - Throws: `StorageError`: unavailable.
    init(path: String) throws(StorageError) {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw .unavailable(detail: "the file cannot be opened: \(DatabaseCopy.systemError())")
        }
        defer { try? file.close() }
        do {
            fileBytes = try file.seekToEnd()
            try file.seek(toOffset: 0)
            bytes = [UInt8](try file.read(upToCount: Self.length) ?? Data())
        } catch {
            throw .unavailable(detail: "the file cannot be read")
        }
    }

    /// Checks that the file is an SQLite database and has all of its pages.
    ///
    /// - Throws: `StorageError`: foreign, corrupt.
    func check() throws(StorageError) {
        guard !bytes.isEmpty else { throw .corrupt(detail: "the file is empty") }
        guard bytes.prefix(Self.magic.count).elementsEqual(Self.magic.prefix(bytes.count)) else {
            throw .foreign(detail: "it is not an SQLite file")
        }
        guard bytes.count == Self.length else {
            throw .corrupt(detail: "the file is truncated: it has \(fileBytes) bytes, less than a header")
        }
        // With a WAL beside it the file may be shorter than the database. The number of pages is valid if both counters
        // agree.
        guard bytes[18] == 1, number(at: 24) == number(at: 92) else { return }
        let size = UInt64(bytes[16]) << 8 | UInt64(bytes[17])
        let expected = (size == 1 ? 65_536 : size) * number(at: 28)
        guard fileBytes >= expected else {
            throw .corrupt(detail: "the file is truncated: it has \(fileBytes) of \(expected) bytes")
        }
    }

    /// Returns the big-endian number of four bytes.
    private func number(at position: Int) -> UInt64 {
        bytes[position..<position + 4].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
