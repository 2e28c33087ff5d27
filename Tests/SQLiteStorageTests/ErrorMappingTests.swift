import CSQLite
import GatewayStorage
import Testing

@testable import SQLiteStorage

@Suite("Mapping of SQLite errors")
struct ErrorMappingTests {
    private static let path = "/data/switchboard.sqlite"
    private static let advice = "; restore it from a backup with `switchboard restore`"

    private static let table: [(code: Int32, expected: StorageError)] = [
        (SQLITE_CORRUPT, .corrupt(detail: path + ": words" + advice)),
        (SQLITE_CORRUPT | 3 << 8, .corrupt(detail: path + ": words" + advice)),
        (SQLITE_CORRUPT | 1 << 8, .corrupt(detail: path + ": words" + advice)),
        (SQLITE_NOTADB, .corrupt(detail: path + ": words" + advice)),
        (SQLITE_IOERR, .unavailable(detail: "the disk failed (code 10): \(path): words")),
        (SQLITE_IOERR | 1 << 8, .unavailable(detail: "the disk failed (code 266): \(path): words")),
        (SQLITE_IOERR | 3 << 8, .unavailable(detail: "the disk failed (code 778): \(path): words")),
        (SQLITE_IOERR | 4 << 8, .unavailable(detail: "the disk failed (code 1034): \(path): words")),
        (SQLITE_IOERR | 2 << 8, .unavailable(detail: "the disk failed (code 522): \(path): words")),
        (SQLITE_CANTOPEN, .unavailable(detail: "the file cannot be opened: \(path): words")),
        (SQLITE_CANTOPEN | 2 << 8, .unavailable(detail: "the file cannot be opened: \(path): words")),
        (SQLITE_FULL, .full(detail: path + ": words")),
        (SQLITE_READONLY, .readOnly(detail: path + ": words")),
        (SQLITE_READONLY | 4 << 8, .readOnly(detail: path + ": words")),
        (SQLITE_PERM, .readOnly(detail: path + ": words")),
        (SQLITE_BUSY, .locked(detail: "another program holds a lock on the database file \(path)")),
        (SQLITE_BUSY | 2 << 8, .locked(detail: "another program holds a lock on the database file \(path)")),
        (SQLITE_LOCKED, .locked(detail: "another program holds a lock on the database file \(path)")),
        (SQLITE_CONSTRAINT | 8 << 8, .constraint(detail: path + ": words")),
        (SQLITE_TOOBIG, .constraint(detail: path + ": words")),
        (SQLITE_NOMEM, .unavailable(detail: "error 7: \(path): words")),
    ]

    @Test("each code maps to its error, with the file's name", arguments: table)
    func meaning(code: Int32, expected: StorageError) {
        let error = SQLiteError(code, "words")
        #expect(StorageError(sqlite: error, path: Self.path) == expected)
    }

    @Test("the text tells an operator what to do about damage")
    func text() {
        let error = StorageError(sqlite: SQLiteError(SQLITE_CORRUPT), path: Self.path)
        #expect(error.text.hasPrefix("the data is damaged: \(Self.path): "))
        #expect(error.text.hasSuffix("restore it from a backup with `switchboard restore`"))
    }

    @Test("the store's own errors are unchanged")
    func own() {
        #expect(StorageError(sqlite: StorageError.closed, path: Self.path) == .closed)
    }
}
