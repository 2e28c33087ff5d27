import Foundation
import SQLStorage
import TestSupport
import Testing

@testable import SQLiteStorage

/// The page cache in front of SQLite's own (CSQLite) passes on fewer requests to drop pages; one too few would show pages
/// that no longer exist.
@Suite("The page cache", .timeLimit(.minutes(15)))
struct PageCacheTests {
    @Test("a file that grows, shrinks, is rolled back and rebalanced has what was written", arguments: 1...4)
    func walk(seed: UInt64) async throws {
        let engine = try SQLiteEngine()
        // The first connection of the process sets the cache.
        try await engine.openSQLite().close()
        let path = engine.path + ".walk"
        let writer = try SQLiteStore.connect(path)
        try writer.execute(sql: "PRAGMA journal_mode = WAL")
        var random = SplitMix(seed: seed)
        var expected: [Int64: [UInt8]] = [:]
        try writer.execute(sql: "CREATE TABLE t (k INTEGER PRIMARY KEY, v BLOB NOT NULL); CREATE INDEX t_v ON t (v)")
        let reader = try SQLiteStore.connect(path, isReadOnly: true)
        // Fewer pages than the file has, and enough to hold some beyond its end.
        try writer.execute(sql: "PRAGMA cache_size = 200")
        for step in 0..<60 {
            let before = expected
            var changes: [(key: Int64, value: [UInt8]?)] = []
            for _ in 0..<Int.random(in: 1...400, using: &random) {
                let key = Int64.random(in: 0..<4000, using: &random)
                let isRemoved = Int.random(in: 0..<100, using: &random) < (step % 20 < 10 ? 20 : 90)
                let bytes = (0..<Int.random(in: 0...900, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                let value = isRemoved ? nil : bytes
                changes.append((key, value))
                expected[key] = value
            }
            let isRolledBack = Int.random(in: 0..<3, using: &random) == 0
            if isRolledBack { expected = before }
            try writer.execute(sql: "BEGIN")
            for change in changes {
                if let value = change.value {
                    try writer.execute(sql: "INSERT OR REPLACE INTO t VALUES (?, ?)", arguments: [change.key, value])
                } else {
                    try writer.execute(sql: "DELETE FROM t WHERE k = ?", arguments: [change.key])
                }
            }
            try writer.execute(sql: isRolledBack ? "ROLLBACK" : "COMMIT")
            if step % 13 == 12 { try writer.execute(sql: "VACUUM") }
            // A reader drops its pages when the writer has changed the file.
            let (stored, check) = try reader.snapshot { db in
                (
                    try db.prepare(once: "SELECT k, v FROM t").all { row -> (Int64, [UInt8])? in
                        (try row.value(0), try row.value(1))
                    },
                    step % 6 == 5 ? try String.fetchOne(db, sql: "PRAGMA integrity_check") : "ok"
                )
            }
            #expect(check == "ok")
            #expect(Dictionary(uniqueKeysWithValues: stored) == expected)
        }
    }
}
