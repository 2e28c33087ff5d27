import GRDB
import GatewayStorage
import Testing

@testable import SQLiteStorage

@Suite("Mapping of SQLite errors")
struct ErrorMappingTests {
    private static let path = "/data/switchboard.sqlite"
    private static let advice = "; restore it from a backup with `switchboard restore`"

    private static let table: [(code: ResultCode, expected: StorageError)] = [
        (.SQLITE_CORRUPT, .corrupt(detail: path + ": words" + advice)),
        (.SQLITE_CORRUPT_INDEX, .corrupt(detail: path + ": words" + advice)),
        (.SQLITE_CORRUPT_VTAB, .corrupt(detail: path + ": words" + advice)),
        (.SQLITE_NOTADB, .corrupt(detail: path + ": words" + advice)),
        (.SQLITE_IOERR, .unavailable(detail: "the disk failed (code 10): \(path): words")),
        (.SQLITE_IOERR_READ, .unavailable(detail: "the disk failed (code 266): \(path): words")),
        (.SQLITE_IOERR_WRITE, .unavailable(detail: "the disk failed (code 778): \(path): words")),
        (.SQLITE_IOERR_FSYNC, .unavailable(detail: "the disk failed (code 1034): \(path): words")),
        (.SQLITE_IOERR_SHORT_READ, .unavailable(detail: "the disk failed (code 522): \(path): words")),
        (.SQLITE_CANTOPEN, .unavailable(detail: "the file cannot be opened: \(path): words")),
        (.SQLITE_CANTOPEN_ISDIR, .unavailable(detail: "the file cannot be opened: \(path): words")),
        (.SQLITE_FULL, .full(detail: path + ": words")),
        (.SQLITE_READONLY, .readOnly(detail: path + ": words")),
        (.SQLITE_READONLY_DBMOVED, .readOnly(detail: path + ": words")),
        (.SQLITE_PERM, .readOnly(detail: path + ": words")),
        (.SQLITE_BUSY, .locked(detail: "another program holds a lock on the database file \(path)")),
        (.SQLITE_BUSY_SNAPSHOT, .locked(detail: "another program holds a lock on the database file \(path)")),
        (.SQLITE_LOCKED, .locked(detail: "another program holds a lock on the database file \(path)")),
        (.SQLITE_CONSTRAINT_UNIQUE, .constraint(detail: path + ": words")),
        (.SQLITE_TOOBIG, .constraint(detail: path + ": words")),
        (.SQLITE_NOMEM, .unavailable(detail: "error 7: \(path): words")),
    ]

    @Test("each code maps to its error, with the file's name", arguments: table)
    func meaning(code: ResultCode, expected: StorageError) {
        let error = DatabaseError(resultCode: code, message: "words")
        #expect(StorageError(sqlite: error, path: Self.path) == expected)
    }

    @Test("the text tells an operator what to do about damage")
    func text() {
        let error = StorageError(sqlite: DatabaseError(resultCode: .SQLITE_CORRUPT), path: Self.path)
        #expect(error.text.hasPrefix("the data is damaged: \(Self.path): "))
        #expect(error.text.hasSuffix("restore it from a backup with `switchboard restore`"))
    }

    @Test("the store's own errors are unchanged")
    func own() {
        #expect(StorageError(sqlite: StorageError.closed, path: Self.path) == .closed)
    }
}
