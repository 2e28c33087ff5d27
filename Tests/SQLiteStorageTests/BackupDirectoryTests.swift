import Foundation
import GRDB
import GatewayModel
import GatewayStorage
import Testing

@testable import SQLiteStorage

@Suite("Directories of backups, and their verification", .timeLimit(.minutes(10)))
struct BackupDirectoryTests {
    private let engine: SQLiteEngine
    private let folder: String

    init() throws {
        engine = try SQLiteEngine()
        folder = engine.directory.appending(path: "backups").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }

    private func add(_ time: String, keeping: Int? = nil) throws(BackupError) -> (file: String, report: BackupReport) {
        try SQLiteStore.backup(path: engine.path, into: folder, keeping: keeping, time: time, reservedBytes: 0)
    }

    private func addError(_ body: () throws(BackupError) -> Void) -> BackupError? {
        do throws(BackupError) {
            try body()
            return nil
        } catch { return error }
    }

    private func verifyError(_ path: String) -> BackupError? {
        addError { () throws(BackupError) in _ = try SQLiteStore.verify(path: path) }
    }

    /// The files of the directory but for the lock.
    private var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }.sorted()
        }
    }

    private func write(_ name: String, _ data: Data = Data("precious".utf8)) throws {
        try data.write(to: URL(filePath: "\(folder)/\(name)"))
    }

    // MARK: Names

    @Test(
        "names of backups are parsed, and names of other files are not",
        arguments: [
            ("switchboard-20260102T030405Z.sqlite", 1), ("switchboard-20260102T030405Z-2.sqlite", 2),
            ("switchboard-20260102T030405Z-10.sqlite", 10), ("switchboard-20260102T030405Z-1.sqlite", nil),
            ("switchboard-20260102T030405Z-.sqlite", nil), ("switchboard-20260102T030405Z-02.sqlite", nil),
            ("switchboard-20260102T030405Z-+2.sqlite", nil), ("switchboard-2026010AT030405Z.sqlite", nil),
            ("switchboard-20260102T030405Z.sqlite.partial", nil), ("switchboard-monday.sqlite", nil),
            ("switchboard.sqlite", nil), ("switchboard-.sqlite", nil), ("", nil),
        ] as [(String, Int?)]
    )
    func parsed(name: String, number: Int?) {
        let parsed = BackupName(fileName: name)
        #expect(parsed?.number == number)
        if let parsed { #expect(parsed.fileName == name && parsed.time == "20260102T030405Z") }
    }

    // MARK: Adding and removing

    @Test("the oldest backups are removed when a new one is complete; other files stay")
    func kept() async throws {
        await (try engine.openSQLite()).close()
        for name in ["switchboard-monday.sqlite", "notes"] { try write(name) }
        for day in 1...3 {
            let added = try add("2026010\(day)T000000Z", keeping: 2)
            #expect(added.report.removed == (day == 3 ? ["\(folder)/switchboard-20260101T000000Z.sqlite"] : []))
            #expect(SQLiteStore.newestBackup(in: folder) == added.file)
            let attributes = try FileManager.default.attributesOfItem(atPath: added.file)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        }
        let expected = [
            "notes", "switchboard-20260102T000000Z.sqlite", "switchboard-20260103T000000Z.sqlite",
            "switchboard-monday.sqlite",
        ]
        #expect(try names == expected)
        // Without a number none is removed.
        #expect(try add("20260104T000000Z").report.removed == [])
    }

    @Test("backups of one second have numbers, in whose order they are removed")
    func sameSecond() async throws {
        await (try engine.openSQLite()).close()
        let files = try (1...3).map { _ in try add("20260101T000000Z", keeping: 2).file }
        let start = "\(folder)/switchboard-20260101T000000Z"
        #expect(files == [start + ".sqlite", start + "-2.sqlite", start + "-3.sqlite"])
        #expect(SQLiteStore.newestBackup(in: folder) == files[2])
        #expect(try names.count == 2)
    }

    @Test("a backup stays although the names of older ones are of a later time")
    func clockWasAhead() async throws {
        await (try engine.openSQLite()).close()
        _ = try add("20300101T000000Z")
        _ = try add("20310101T000000Z")
        let added = try add("20260101T000000Z", keeping: 1)
        #expect(try names == [URL(filePath: added.file).lastPathComponent])
    }

    @Test("a backup that fails removes nothing and leaves no file", arguments: ["damaged", "missing", "full", "busy"])
    func failing(kind: String) async throws {
        let store = try engine.openSQLite()
        try await store.pool.write { db in
            for number in 0..<2000 {
                try db.execute(
                    sql: "INSERT INTO brands (id, name, settings, created_at) VALUES (?, 'n', '{}', 0)",
                    arguments: ["brand-\(number)"]
                )
            }
        }
        await store.close()
        _ = try add("20260101T000000Z")
        let before = try names
        var directory = BackupDirectory(path: folder, reservedBytes: 1000)
        let lock = try kind == "busy" ? DataLock(path: folder + "/.switchboard.lock") : nil
        defer { lock?.release() }
        switch kind {
        case "damaged":
            var bytes = try Data(contentsOf: URL(filePath: engine.path))
            for index in stride(from: 8192, to: bytes.count, by: 509) { bytes[index] ^= 0x55 }
            try bytes.write(to: URL(filePath: engine.path))
        case "missing": try FileManager.default.removeItem(atPath: engine.path)
        case "full": directory.freeBytes = { _ in 1999 }
        default: break
        }
        let source = engine.path
        let failed = addError { () throws(BackupError) in
            _ = try directory.add(source, keeping: 1, time: "20260102T000000Z") { _, _ in }
        }
        switch (kind, failed) {
        case ("damaged", .source(.corrupt, _)), ("missing", .missing), ("busy", .target(.locked, _)): break
        case ("full", .target(.full(let detail), _)): #expect(detail.contains("1999 are free"))
        case (_, let error): Issue.record("\(String(describing: error))")
        }
        #expect(try names == before)
        #expect(!FileManager.default.fileExists(atPath: folder + "/.switchboard.partial"))
    }

    @Test("a directory that is missing is not created, as its disk may not be mounted")
    func missingDirectory() async throws {
        await (try engine.openSQLite()).close()
        try FileManager.default.removeItem(atPath: folder)
        #expect(addError { () throws(BackupError) in _ = try add("20260101T000000Z") } == .missing(path: folder))
        #expect(!FileManager.default.fileExists(atPath: folder))
        #expect(SQLiteStore.newestBackup(in: folder) == nil)
    }

    // MARK: Verifying

    @Test("a backup is verified without a change of it, and its rows are counted")
    func verified() async throws {
        try engine.load(fixture: "data-0001")
        let first = try add("20260101T000000Z").file
        let bytes = try Data(contentsOf: URL(filePath: first))
        let earlier = try SQLiteStore.verify(path: first)
        #expect(earlier.newestMigration == Migrations.all[0].name)
        #expect(earlier.pendingMigrations == Migrations.all.dropFirst().map(\.name))
        #expect(earlier.bytes == bytes.count && earlier.pages * 4096 == bytes.count)
        let counts = Dictionary(uniqueKeysWithValues: earlier.rows.map { ($0.kind, $0.count) })
        #expect(counts["brands"] == 2 && counts["pendingDeliveries"] == 2)
        #expect(try Data(contentsOf: URL(filePath: first)) == bytes)
        #expect(try names == [URL(filePath: first).lastPathComponent])

        await (try engine.openSQLite()).close()
        let later = try SQLiteStore.verify(path: try add("20260102T000000Z").file)
        #expect(later.newestMigration == Migrations.all.last?.name && later.pendingMigrations == [])
        #expect(later.rows == earlier.rows)
    }

    @Test(
        "a file that is no intact backup of this version is named for what it is",
        arguments: ["truncated", "cut header", "empty", "text", "scribbled", "index", "newer", "stranger", "missing"]
    )
    func rejected(kind: String) async throws {
        let store = try engine.openSQLite()
        try await store.pool.write { db in
            for number in 0..<2000 {
                try db.execute(
                    sql: "INSERT INTO brands (id, name, settings, created_at) VALUES (?, 'n', '{}', 0)",
                    arguments: ["brand-\(number)"]
                )
            }
        }
        await store.close()
        let path = try add("20260101T000000Z").file
        let copy = URL(filePath: path)
        var bytes = try Data(contentsOf: copy)
        switch kind {
        case "truncated": try bytes.prefix(bytes.count / 2).write(to: copy)
        case "cut header": try bytes.prefix(50).write(to: copy)
        case "empty": try Data().write(to: copy)
        case "text": try Data(repeating: 0x41, count: 20_000).write(to: copy)
        case "scribbled":
            for index in stride(from: 8192, to: bytes.count, by: 509) { bytes[index] ^= 0x55 }
            try bytes.write(to: copy)
        case "index":
            // Pages are well formed, and an index has fewer entries than its table.
            try await DatabaseQueue(path: path).write { db in
                try db.execute(sql: "PRAGMA writable_schema = ON")
                try db.execute(
                    sql: """
                        CREATE INDEX less ON brands (name) WHERE key > 1000;
                        UPDATE sqlite_master SET sql = 'CREATE INDEX less ON brands (name)' WHERE name = 'less';
                        """
                )
            }
        case "newer":
            try await DatabaseQueue(path: path).write {
                try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('9999-future')")
            }
        case "stranger":
            try FileManager.default.removeItem(at: copy)
            try await DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (a)") }
        default: try FileManager.default.removeItem(at: copy)
        }
        let error = verifyError(path)
        switch (kind, error) {
        case ("truncated", .source(.corrupt(let detail), path)): #expect(detail.contains("of \(bytes.count) bytes"))
        case ("cut header", .source(.corrupt(let detail), path)): #expect(detail.contains("50 bytes"))
        case ("empty", .source(.corrupt(let detail), path)): #expect(detail.contains("is empty"))
        case ("text", .source(.foreign(let detail), path)): #expect(detail.contains("not an SQLite file"))
        case ("scribbled", .source(.corrupt, path)), ("index", .source(.corrupt, path)): break
        case ("stranger", .source(.foreign, path)), ("missing", .missing(path)): break
        case ("newer", .source(.newerSchema(migration: "9999-future"), path)): break
        case (_, let error): Issue.record("\(String(describing: error))")
        }
    }
}
