import Foundation
import GRDB
import GatewayModel
import GatewayStorage
import StorageContract
import Testing

@testable import SQLiteStorage

@Suite("Backup and restore", .timeLimit(.minutes(10)))
struct BackupTests {
    private let engine: SQLiteEngine

    init() throws { engine = try SQLiteEngine() }

    private func path(_ name: String) -> String { engine.directory.appending(path: name).path }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: engine.directory.path).sorted() }
    }

    private func backup(_ name: String = "copy", isReplacing: Bool = false) throws(BackupError) -> BackupReport {
        try SQLiteStore.backup(path: engine.path, to: path(name), isReplacing: isReplacing)
    }

    private func restore(_ name: String = "copy", isReplacing: Bool = false) throws(BackupError) -> BackupReport {
        try SQLiteStore.restore(path: engine.path, from: path(name), isReplacing: isReplacing, suffix: "now")
    }

    private func error(_ body: () throws(BackupError) -> BackupReport) -> BackupError? {
        do throws(BackupError) {
            _ = try body()
            return nil
        } catch { return error }
    }

    /// Returns how often the data was opened: a number that every start raises.
    private func starts(_ file: String) throws -> Int? {
        let queue = try DatabaseQueue(path: file)
        return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM incarnations") }
    }

    @Test("a backup of open data is one file with all commits, without access for group and others")
    func open() async throws {
        let store = try engine.openSQLite()
        _ = try await store.begin(now: Timestamp(milliseconds: 1))
        let report = try backup()
        #expect(report.newestMigration == Migrations.all.last?.name)
        #expect(report.pendingDeliveries == 0 && report.keptAside == nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: path("copy"))
        #expect((attributes[.size] as? NSNumber)?.intValue == report.bytes)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try names.filter { $0.hasPrefix("copy") } == ["copy"])
        #expect(try starts(path("copy")) == 1)
        // Its own work continues.
        _ = try await store.begin(now: Timestamp(milliseconds: 2))
        await store.close()
        #expect(try starts(engine.path) == 2)
        #expect(try starts(path("copy")) == 1)
    }

    @Test("a writer that never pauses does not restart it, and its later commits are not included")
    func busyWriter() async throws {
        let store = try engine.openSQLite()
        try await store.pool.write { db in
            try db.execute(sql: "CREATE TABLE filler (id INTEGER PRIMARY KEY, bytes BLOB)")
            for _ in 0..<300 { try db.execute(sql: "INSERT INTO filler (bytes) VALUES (zeroblob(100000))") }
        }
        var steps: [Int] = []
        let report = try SQLiteStore.backup(path: engine.path, to: path("copy"), isReplacing: false) { done, _ in
            steps.append(done)
            // So that a backup that restarts comes to an end, and is detected.
            guard steps.count < 100 else { return }
            do {
                try store.pool.write { try $0.execute(sql: "INSERT INTO filler (bytes) VALUES (zeroblob(100000))") }
            } catch { Issue.record(error) }
        }
        #expect(steps.count > 3)
        #expect(steps == steps.sorted(), "it restarted")
        #expect(report.bytes > 30_000_000)
        let copy = try DatabaseQueue(path: path("copy"))
        #expect(try await copy.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM filler") } == 300)
        await store.close()
    }

    @Test("data of a killed process is backed up with the content of its WAL")
    func afterCrash() async throws {
        let store = try engine.openSQLite()
        _ = try await store.begin(now: Timestamp(milliseconds: 1))
        // The files after a crash: as they are now.
        let crashed = path("crashed")
        for end in ["", "-wal"] { try FileManager.default.copyItem(atPath: engine.path + end, toPath: crashed + end) }
        await store.close()
        _ = try SQLiteStore.backup(path: crashed, to: path("copy"), isReplacing: false)
        #expect(try starts(path("copy")) == 1)
    }

    @Test(
        "a file that exists is replaced only on request, and the rest of a killed backup does not interfere"
    )
    func existing() async throws {
        await (try engine.openSQLite()).close()
        try Data("precious".utf8).write(to: URL(filePath: path("copy")))
        #expect(error { () throws(BackupError) in try backup() } == .exists(path: path("copy")))
        #expect(try Data(contentsOf: URL(filePath: path("copy"))) == Data("precious".utf8))
        try Data("half".utf8).write(to: URL(filePath: path("copy.partial")))
        _ = try backup(isReplacing: true)
        #expect(try starts(path("copy")) == 0)
        #expect(try names.filter { $0.hasPrefix("copy") } == ["copy"])
    }

    @Test("data that is not of this version is not backed up, and no file is left")
    func badSource() async throws {
        #expect(error { () throws(BackupError) in try backup() } == .missing(path: engine.path))
        let store = try engine.openSQLite()
        try await store.pool.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('9999-future')") }
        await store.close()
        let newer = BackupError.source(.newerSchema(migration: "9999-future"), path: engine.path)
        #expect(error { () throws(BackupError) in try backup() } == newer)
        #expect(
            error { () throws(BackupError) in
                try SQLiteStore.backup(path: engine.path, to: "/proc/none/copy", isReplacing: false)
            } != nil
        )
        #expect(try names.filter { $0.hasPrefix("copy") } == [])
    }

    @Test("a restore writes the backup and keeps the earlier database, WAL included")
    func restored() async throws {
        let store = try engine.openSQLite()
        _ = try await store.begin(now: Timestamp(milliseconds: 1))
        _ = try backup()
        _ = try await store.begin(now: Timestamp(milliseconds: 2))
        // The WAL is left, as after a crash.
        let log = try Data(contentsOf: URL(filePath: engine.path + "-wal"))
        let main = try Data(contentsOf: URL(filePath: engine.path))
        await store.close()
        try main.write(to: URL(filePath: engine.path))
        try log.write(to: URL(filePath: engine.path + "-wal"))

        #expect(error { () throws(BackupError) in try restore() } == .exists(path: engine.path))
        let report = try restore(isReplacing: true)
        let aside = engine.path + ".before-restore-now"
        #expect(report.keptAside == aside)
        #expect(try names.filter { $0.hasSuffix("-wal") } == ["switchboard.db.before-restore-now-wal"])
        #expect(try starts(aside) == 2)
        let restored = try engine.openSQLite()
        _ = try await restored.begin(now: Timestamp(milliseconds: 3))
        await restored.close()
        #expect(try starts(engine.path) == 2)
    }

    @Test("restores within the same second each keep the database that they replaced")
    func sameSecond() async throws {
        let store = try engine.openSQLite()
        _ = try backup()
        _ = try await store.begin(now: Timestamp(milliseconds: 1))
        await store.close()
        let kept = try (0..<3).map { _ in try restore(isReplacing: true).keptAside }
        #expect(kept == ["", "-2", "-3"].map { engine.path + ".before-restore-now" + $0 })
        #expect(try starts(engine.path + ".before-restore-now") == 1)
        #expect(try starts(engine.path + ".before-restore-now-2") == 0)
        #expect(try names.filter { $0.contains("restore-partial") } == [])
    }

    @Test("a restore without existing data creates it")
    func fresh() async throws {
        await (try engine.openSQLite()).close()
        _ = try backup()
        for name in try names where name != "copy" { try FileManager.default.removeItem(atPath: path(name)) }
        #expect(try restore().keptAside == nil)
        let mode = try FileManager.default.attributesOfItem(atPath: engine.path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        await (try engine.openSQLite()).close()
    }

    @Test("data that a gateway holds is not replaced")
    func held() async throws {
        let store = try engine.openSQLite()
        _ = try backup()
        guard case .target(.locked, _) = error({ () throws(BackupError) in try restore(isReplacing: true) }) else {
            Issue.record("it was replaced")
            return
        }
        try await store.probe()
        await store.close()
    }

    @Test(
        "a backup that is damaged, newer or missing is rejected, and the data stays",
        arguments: ["truncated", "scribbled", "text", "newer", "stranger", "missing"]
    )
    func badBackup(kind: String) async throws {
        let store = try engine.openSQLite()
        _ = try await store.begin(now: Timestamp(milliseconds: 1))
        try await store.pool.write { db in
            for number in 0..<2000 {
                try db.execute(
                    sql: "INSERT INTO brands (id, name, settings, created_at) VALUES (?, 'n', '{}', 0)",
                    arguments: ["brand-\(number)"]
                )
            }
        }
        await store.close()
        _ = try backup()
        let copy = URL(filePath: path("copy"))
        var bytes = try Data(contentsOf: copy)
        switch kind {
        case "truncated": try bytes.prefix(bytes.count / 2).write(to: copy)
        case "scribbled":
            for index in stride(from: 8192, to: bytes.count, by: 509) { bytes[index] ^= 0x55 }
            try bytes.write(to: copy)
        case "text": try Data(repeating: 0x41, count: 20_000).write(to: copy)
        case "newer":
            try await DatabaseQueue(path: copy.path).write {
                try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('9999-future')")
            }
        case "stranger":
            try FileManager.default.removeItem(at: copy)
            try await DatabaseQueue(path: copy.path).write { try $0.execute(sql: "CREATE TABLE t (a)") }
        default: try FileManager.default.removeItem(at: copy)
        }
        let before = try Data(contentsOf: URL(filePath: engine.path))
        switch (kind, error { () throws(BackupError) in try restore(isReplacing: true) }) {
        case ("missing", .missing), ("newer", .source(.newerSchema(migration: "9999-future"), _)): break
        case ("truncated", .source(.corrupt, _)), ("scribbled", .source(.corrupt, _)), ("text", .source(.corrupt, _)),
            ("stranger", .source(.foreign, _)):
            break
        case (_, let error): Issue.record("\(String(describing: error))")
        }
        #expect(try Data(contentsOf: URL(filePath: engine.path)) == before)
        #expect(try names.filter { $0.contains("restor") } == [])
        await (try engine.openSQLite()).close()
    }
}
