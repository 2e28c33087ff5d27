import Foundation
import GRDB
import GatewayModel
import GatewayStorage
import StorageContract
import Testing

@testable import SQLiteStorage

@Suite("Opening and locking the file", .timeLimit(.minutes(10)))
struct OpeningTests {
    private let engine: SQLiteEngine

    init() throws { engine = try SQLiteEngine() }

    private func error(opening path: String) -> StorageError? {
        do {
            _ = try SQLiteEngine.openSQLite(path: path)
            return nil
        } catch let error as StorageError {
            return error
        } catch {
            Issue.record(error)
            return nil
        }
    }

    @Test("every commit is synced: the writer has FULL, and WAL")
    func synchronous() async throws {
        let store = try engine.openSQLite()
        let (synchronous, journal) = try await store.pool.writeWithoutTransaction { db in
            (try Int.fetchOne(db, sql: "PRAGMA synchronous"), try String.fetchOne(db, sql: "PRAGMA journal_mode"))
        }
        #expect(synchronous == 2)
        #expect(journal == "wal")
        await store.close()
    }

    @Test("the methods of the writer's WAL and the checkpoint's file are replaced, or not", arguments: [true, false])
    func fileMethods(isTuned: Bool) async throws {
        let store = try SQLiteEngine.openSQLite(path: engine.path, tunesFileAccess: isTuned)
        let other = try DatabaseQueue(path: engine.path)
        let own = try await other.read { try $0.fileMethods() }
        let writer = try await store.pool.writeWithoutTransaction { try $0.fileMethods() }
        let checkpointer = try store.checkpointer.queue.wait { try $0.fileMethods() }
        #expect(writer.database == own.database && checkpointer.wal == own.wal)
        #expect((writer.wal != own.wal) == isTuned)
        #expect((checkpointer.database != own.database) == isTuned)
        try other.close()
        await store.close()
    }

    @Test("every connection overwrites removed bytes, however SQLite was built")
    func secureDelete() async throws {
        let sql = "PRAGMA secure_delete"
        let store = try engine.openSQLite()
        #expect(try await store.pool.writeWithoutTransaction { try Int.fetchOne($0, sql: sql) } == 1)
        #expect(try await store.pool.read { try Int.fetchOne($0, sql: sql) } == 1)
        await store.close()
    }

    @Test("a name in double quotes is never a text")
    func quotedNames() async throws {
        let store = try engine.openSQLite()
        #expect(throws: SQLiteError.self) {
            try store.writing.wait { try $0.run("SELECT * FROM brands WHERE id = \"acme\"") }
        }
        await store.close()
    }

    @Test("a store that closes beside a reader of another process leaves nothing in the WAL that can be moved")
    func closedBesideReader() async throws {
        let store = try engine.openSQLite()
        let other = try DatabaseQueue(path: engine.path)
        try await store.pool.write {
            try $0.run("INSERT INTO brands (id, name, settings, created_at) VALUES ('acme', 'Acme', '{}', 0)")
        }
        await store.close()
        let log = try FileManager.default.attributesOfItem(atPath: engine.path + "-wal")[.size] as? Int
        #expect(log == 0)
        #expect(try await other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM brands") } == 1)
        try other.close()
    }

    @Test("an open file cannot be opened again, a closed one can")
    func locked() async throws {
        let store = try engine.openSQLite()
        guard case .locked(let detail) = error(opening: engine.path) else {
            Issue.record("it was opened twice")
            return
        }
        #expect(detail.contains(engine.path))
        try await store.probe()
        await store.close()
        let again = try engine.openSQLite()
        try await again.probe()
        await again.close()
    }

    @Test("a text file is not a database, and is unchanged")
    func textFile() throws {
        let text = String(repeating: "dear diary, nothing happened today\n", count: 200)
        try Data(text.utf8).write(to: URL(filePath: engine.path))
        guard case .corrupt = error(opening: engine.path) else {
            Issue.record("it was not reported as corrupt")
            return
        }
        #expect(try Data(contentsOf: URL(filePath: engine.path)) == Data(text.utf8))
    }

    @Test("damaged pages are reported, and unchanged", arguments: [16, 100, 4096])
    func damaged(from offset: Int) async throws {
        await (try engine.openSQLite()).close()
        var bytes = try Data(contentsOf: URL(filePath: engine.path))
        for index in offset..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index &* 37 | 1) }
        try bytes.write(to: URL(filePath: engine.path))
        let error = error(opening: engine.path)
        guard case .corrupt = error else {
            Issue.record("it was not reported as corrupt but \(String(describing: error))")
            return
        }
        #expect(try Data(contentsOf: URL(filePath: engine.path)) == bytes)
    }

    @Test("a newer version's file is rejected, with its migration's name")
    func newerSchema() async throws {
        let store = try engine.openSQLite()
        try await store.pool.write { db in
            try db.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('9999-from-the-future')")
        }
        await store.close()
        let expected = StorageError.newerSchema(migration: "9999-from-the-future")
        #expect(error(opening: engine.path) == expected)
        #expect(throws: expected) { try SQLiteStore.migrations(path: engine.path) }
    }

    @Test("a closed store has its data in the file, none in the WAL")
    func closedIsWhole() async throws {
        let store = try engine.openSQLite()
        _ = try await store.begin(now: Timestamp(milliseconds: 1))
        await store.close()
        let log = try? Data(contentsOf: URL(filePath: engine.path + "-wal"))
        #expect(log?.count ?? 0 == 0)
        let queue = try DatabaseQueue(path: engine.path)
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM incarnations") } == 1)
    }

    @Test("the error names a missing directory")
    func missingPlace() throws {
        let missing = engine.directory.appending(path: "nowhere/switchboard.db").path
        let file = engine.directory.appending(path: "file")
        try Data().write(to: file)
        for path in [missing, file.appending(path: "switchboard.db").path] {
            guard case .unavailable(let detail) = error(opening: path) else {
                Issue.record("\(path) was opened")
                continue
            }
            #expect(detail.contains(path))
        }
    }

    @Test("the error names a directory that cannot be written")
    func unwritablePlace() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: engine.directory.path)
        // Root may write in any folder except the kernel's own.
        let path = geteuid() == 0 ? "/sys/fs/switchboard.db" : engine.path
        guard case .readOnly(let detail) = error(opening: path) else {
            Issue.record("it was opened")
            return
        }
        #expect(detail.contains(path))
    }

    @Test("a directory cannot be opened as a database")
    func folder() throws {
        try FileManager.default.createDirectory(atPath: engine.path, withIntermediateDirectories: false)
        #expect(error(opening: engine.path) != nil)
    }

    @Test("group and others have no access to any file")
    func modes() async throws {
        let store = try engine.openSQLite()
        _ = try await store.begin(now: Timestamp(milliseconds: 1))
        let names = try FileManager.default.contentsOfDirectory(atPath: engine.directory.path).sorted()
        #expect(names == ["switchboard.db", "switchboard.db-shm", "switchboard.db-wal", "switchboard.db.lock"])
        for name in names {
            let path = engine.directory.appending(path: name).path
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600, "\(name)")
        }
        await store.close()
    }

    @Test("migrations are listed without changing the data")
    func migrations() async throws {
        let names = Migrations.all.map(\.name)
        let pending = try SQLiteStore.migrations(path: engine.path).migrations
        #expect(pending.map(\.name) == names && pending.allSatisfy { !$0.isApplied })
        #expect(try FileManager.default.contentsOfDirectory(atPath: engine.directory.path).isEmpty)
        await (try engine.openSQLite()).close()
        let before = try Data(contentsOf: URL(filePath: engine.path))
        let applied = try SQLiteStore.migrations(path: engine.path).migrations
        #expect(applied.map(\.name) == names && applied.allSatisfy(\.isApplied))
        #expect(try Data(contentsOf: URL(filePath: engine.path)) == before)
        // Also while a server has it open.
        let store = try engine.openSQLite()
        #expect(try SQLiteStore.migrations(path: engine.path).migrations.map(\.name) == names)
        await store.close()
    }
}
