import Foundation
import SQLStorage
import Testing

@Suite("SQL that runs on every engine")
struct SQLDialectTests {
    @Test(
        "for PostgreSQL parameters are numbered",
        arguments: [
            ("SELECT 1", "SELECT 1"),
            ("a = ? AND b = ? AND c = ?", "a = $1 AND b = $2 AND c = $3"),
            ("a = ?2 OR a = ?1 OR b = ?2", "a = $2 OR a = $1 OR b = $2"),
            ("a = ?1 AND b < ?12 LIMIT ?", "a = $1 AND b < $12 LIMIT $13"),
            ("a = '?' AND b = 'it''s ?1' AND \"c?\" = ?", "a = '?' AND b = 'it''s ?1' AND \"c?\" = $1"),
        ]
    )
    func parameters(portable: String, translated: String) {
        #expect(SQLDialect.postgreSQL(portable) == translated)
    }

    @Test("the portable texts have no words that only SQLite knows")
    func words() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let sources = root.appending(path: "Sources/SQLStorage")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            guard file.lastPathComponent != "SQLDialect.swift" else { continue }
            count += 1
            let text = try String(contentsOf: file, encoding: .utf8)
            let words = [
                "INSERT OR ", "UPDATE OR ", "REPLACE INTO", "INDEXED", "CROSS JOIN", "rowid", "LIMIT -1", "json_",
                "strftime", "ifnull", "PRAGMA", "GLOB",
            ]
            for word in words { #expect(!text.contains(word), "\(file.lastPathComponent): \(word)") }
        }
        #expect(count > 3)
    }
}
