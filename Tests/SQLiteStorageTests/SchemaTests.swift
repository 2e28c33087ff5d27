import Foundation
import GRDB
import GatewayModel
import GatewayStorage
import Logging
import SQLStorage
import StorageContract
import Synchronization
import Testing

@testable import SQLiteStorage

@Suite("The schema and its migrations", .timeLimit(.minutes(10)))
struct SchemaTests {
    private let engine: SQLiteEngine

    init() throws { engine = try SQLiteEngine() }

    /// The SHA-256 of each released migration: a changed text changes the meaning of existing data.
    private static let hashes = [
        "0001-create-tables": "b6f43344e0b9b156f9c1ba9b54cdd64cf5e06caf84c86649144c8a5ee9a948f8",
        "0002-count-by-label": "c2437a65e7558f7f78d187182b592e8a0c46667ec8313f5c55dd09861bae8882",
        "0003-own-subscriptions": "126057298d616d8f8f40971052fc81665b676c5bcda6dd3c128687b67ee9f0bf",
        "0004-count-audit": "bf2032093bba28453b7f5cd9a2ce9ba946b88190bfc71c903e07c4b2f14c3970",
        "0005-keep-merge-proofs": "1c8f0fbd7b95a54a2f7d684f37109d506cfd877c392d6681c49d81a49cccbf4d",
        "0006-let-anonymous-go": "4da50224e647563a61203b85a92cd0286349c3713aadf210f956885f583edf6c",
        "0007-wait-by-device": "b91425118330a69511fc882da04fc5de9c3ab3dffefb614ef5b5fb2168a744ab",
        "0008-keep-deleted-lanes": "48577bfce1774a6cbf42d2fff9a5e2137722431a871fae273a2fef9c35f20d48",
        "0009-hold-many-consumers": "ce86bbf4368dae870917987fe6bdaa81ff04e233e190c0d5bd2e60df379ce618",
        "0010-queue-by-class": "3705e2eac267fd1f12a6564653bf0ea0937e7f87d5495a829812080b7f79f0fa",
        "0011-keep-clock-mark": "4c6b201e9410b46e7a89e7c4a32f0ed8107ade7bbc4c638a07304c08c0f5902a",
        "0012-stop-devices": "0f5e669541600c694862e33944170ce7c7d72c2e085491461ddc291b1146ee90",
        "0013-remember-in-buckets": "194dc1db6a240496d0e6d8eb15bada9b8b2a0e0a4cc929c316015dc60312e583",
        "0014-count-from-messages": "bd9041cc594609752030f0d28cf8a2b371e45764d4ab7b246d42fad2f40c662a",
        "0015-remember-devices-quickly": "b6d4b1e81fb9c54e10efb7f105b92b3e8e79b6ed1883082f56b42aa23050d0ec",
        "0016-chain-messages": "51c8661bcc5c706c7ce14f3f340532461fa1ba03fd9ff51eee100b1dc1d798f0",
        "0017-pass-over-proactive": "f8a1f32f119a043597f62ed7eaba3e9cb57b81cdd25674d5c907ba3321e39ed0",
        "0018-name-by-consumer": "73474623a1f5fb66eed8a751f5ed9fdc7b0ebbde0de691d3fa0b18ffc7e19e38",
        "0019-keep-customers": "6d8bfebb7fe5c238b6709195982a2ae5a0fbaf2a8f37c57812da1171c6058020",
        "0020-keep-hooks": "a4c6f3b1c8ab4e553ef0a635f6895df17fb57a61f93cda648a59ebcaf74af0ea",
        "0021-mark-imported": "a8ebb7ada8ccb0dcb1259dda3a17630ab398697094f0c31436c6fd804ba6749f",
        "0022-keep-operators": "bcb78e428e6adbd0e7f39f9b39bed39246b2ce69fac019a5a90f877da16a6de4",
        "0023-push-again": "dc5b9b3ae2fa22d38329bdeea766dd6566ed41d64a4b76a1942bbbb1023fdf35",
        "0024-keep-replies": "ae3b1e75c017fe70d988713ebfdd936c13f1cc96ed238fb3ab805ce71450f06b",
        "0025-pause-lanes": "3ad78eef21627a58425f01b12453adbfbc7de82c404a220caae0d6af5a4c00d8",
        "0026-time-pushes": "51f49338aafb10d349138c26014b6837072720ceec8488a07f6037d33ee92fe1",
        "0027-keep-delivery-links": "a78ff5fc12848b1f6fc9da7a6aa42154dad3fe377b4474d04482c089379abd5b",
        "0028-order-replays-by-arrival": "2d2ede510f1955a5093b785a0303e4ed1b9c3bb84a49f8a907325e41e6942034",
        "0029-pace-lanes": "647b273a0dd1aebc86dd04adcaf03fdbaf074cab114af61dc2a328c31457be86",
    ]

    private static let later = Migration(
        "9001-later",
        isAdditive: false,
        sql: "ALTER TABLE brands ADD COLUMN later INTEGER; UPDATE brands SET later = 1;"
    )
    private static let additive = Migration(
        "9001-additive",
        isAdditive: true,
        sql: "CREATE TABLE additive (a INTEGER);"
    )

    private func open(
        _ added: [Migration] = [],
        copies: Bool = true
    ) throws(StorageError) -> SQLiteStore {
        try SQLiteStore.open(
            path: engine.path,
            migrations: Migrations.all + added,
            copiesBeforeMigration: copies,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
    }

    private func rejection(_ added: [Migration] = []) -> StorageError? {
        do throws(StorageError) {
            _ = try open(added)
            return nil
        } catch {
            return error
        }
    }

    private func query<Value: DatabaseValueConvertible>(
        _ sql: String,
        in path: String? = nil,
        as _: Value.Type = Value.self
    ) throws -> [Value?] {
        let queue = try DatabaseQueue(path: path ?? engine.path)
        return try queue.read { try Optional<Value>.fetchAll($0, sql: sql) }
    }

    private func execute(_ sql: String) throws {
        try DatabaseQueue(path: engine.path).writeWithoutTransaction { try $0.execute(sql: sql) }
    }

    /// Applies migrations as a build with no others does.
    private func migrate(by migrations: [Migration]) throws {
        let db = try SQLiteStore.connect(engine.path)
        try Migrations.apply(to: db, path: engine.path, Schema(db), all: migrations)
    }

    private var bytes: Data {
        get throws { try Data(contentsOf: URL(filePath: engine.path)) }
    }

    /// Returns the path of the copy of data that has only the first migration.
    private func copyPath(_ last: Migration? = Migrations.all.last) -> String {
        "\(engine.path).at-\(last?.name ?? "")"
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: engine.directory.path) }
    }

    // MARK: Applied migrations

    @Test("no released migration was changed")
    func frozen() {
        let found = Dictionary(
            uniqueKeysWithValues: Migrations.all.map { migration in
                (
                    migration.name,
                    migration.hash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
                )
            }
        )
        #expect(found == Self.hashes)
        #expect(Migrations.all.map(\.name) == Migrations.all.map(\.name).sorted())
    }

    @Test("new data records its application id and its migrations")
    func marked() async throws {
        await (try open([Self.additive])).close()
        #expect(try query("PRAGMA application_id") == [Schema.applicationID])
        let all = Migrations.all + [Self.additive]
        #expect(try query("SELECT hash FROM applied_migrations ORDER BY name") == all.map { Data($0.hash) })
        #expect(try query("SELECT additive FROM applied_migrations ORDER BY name") == all.map(\.isAdditive))
        #expect(try !names.contains { $0.contains(".at-") }, "new data was copied")
    }

    @Test("data with a changed migration is rejected, and unchanged")
    func changedText() async throws {
        await (try open([Self.additive])).close()
        let before = try bytes
        let changed = Migration(Self.additive.name, isAdditive: true, sql: Self.additive.sql + " ")
        #expect(rejection([changed]) == .changedMigration(changed.name))
        #expect(throws: StorageError.changedMigration(changed.name)) {
            try SQLiteStore.migrations(path: engine.path, all: Migrations.all + [changed])
        }
        #expect(try bytes == before)
        // Only the first migration was ever applied without a hash.
        try execute("DELETE FROM applied_migrations WHERE name = '\(changed.name)'")
        guard case .corrupt(let detail) = rejection([changed]) else {
            Issue.record("it was opened")
            return
        }
        #expect(detail.contains(changed.name) && detail.contains("switchboard restore"))
        try execute("UPDATE applied_migrations SET hash = x'00' WHERE name = '\(Migrations.all[0].name)'")
        #expect(rejection([changed]) == .changedMigration(Migrations.all[0].name))
    }

    @Test("a database of another program is rejected, and unchanged", arguments: ["id", "tables"])
    func foreign(kind: String) throws {
        try execute("CREATE TABLE notes (a INTEGER)")
        if kind == "id" { try execute("DROP TABLE notes; PRAGMA application_id = 1196444487") }
        let before = try bytes
        guard case .foreign(let detail) = rejection() else {
            Issue.record("it was opened")
            return
        }
        #expect(detail.contains(kind == "id" ? "1196444487" : "tables"))
        #expect(try bytes == before)
        #expect(throws: (any Error).self) { try SQLiteStore.migrations(path: engine.path) }
    }

    @Test("migrations sort in temporary files, and the store in memory")
    func sortsInFiles() async throws {
        let found = Mutex<Int?>(nil)
        let looks = Migration("9001-looks", isAdditive: true, sql: "CREATE TABLE looks (a INTEGER);") { db in
            let kind = try Int.fetchOne(db, sql: "PRAGMA temp_store")
            found.withLock { $0 = kind }
        }
        let store = try open([looks])
        let kind = try await store.onWriter { try Int.fetchOne($0, sql: "PRAGMA temp_store") }
        await store.close()
        let during = found.withLock { $0 }
        let (file, memory) = (1, 2)
        #expect(during == file)
        #expect(kind == memory)
    }

    @Test("an empty file, and the rest of a killed first start, become a database")
    func unfinishedStart() async throws {
        try Data().write(to: URL(filePath: engine.path))
        await (try open()).close()
        let other = try SQLiteEngine()
        do {
            let db = try Connection(path: other.path)
            try db.run("CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            try Schema.mark(db, all: Migrations.all)
        }
        let store = try other.openSQLite()
        try await store.probe()
        await store.close()
    }

    // MARK: Versions beside each other

    @Test("the earlier version opens data with additive later migrations, and backs it up")
    func additiveLater() async throws {
        await (try open([Self.additive])).close()
        let before = try open()
        _ = try await before.begin(now: Timestamp(milliseconds: 1))
        await before.close()
        let copy = engine.path + ".backup"
        #expect(
            try SQLiteStore.backup(path: engine.path, to: copy, isReplacing: false).newestMigration == "9001-additive"
        )
        #expect(try SQLiteStore.migrations(path: engine.path).copy == nil)
        let after = try open([Self.additive])
        try await after.probe()
        await after.close()
    }

    @Test("the earlier version rejects data with a later migration that is not additive")
    func otherLater() async throws {
        await (try open([Self.additive, Self.later])).close()
        #expect(rejection() == .newerSchema(migration: Self.later.name))
        #expect(rejection([Self.additive]) == .newerSchema(migration: Self.later.name))
    }

    @Test(
        "data of every earlier build is migrated; that build opens it again if all later migrations are additive",
        arguments: 1..<Migrations.all.count
    )
    func backAndForth(count: Int) async throws {
        let earlier = Array(Migrations.all.prefix(count))
        // The data as that build left it: the first version's, with the migrations of then.
        try engine.load(fixture: "data-0001")
        try migrate(by: earlier)
        let messages = try query("SELECT count(*) FROM messages") as [Int?]

        let store = try open()
        _ = try await store.begin(now: Timestamp(milliseconds: 1_795_399_100_000))
        await store.close()
        #expect(try query("SELECT count(*) FROM messages") == messages)
        #expect(try query("SELECT hash FROM applied_migrations ORDER BY name") == Migrations.all.map { Data($0.hash) })

        guard let refused = Migrations.all.dropFirst(count).last(where: { !$0.isAdditive }) else {
            let before = try SQLiteStore.open(
                path: engine.path,
                migrations: earlier,
                copiesBeforeMigration: true,
                logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            )
            try await before.probe()
            await before.close()
            await (try open()).close()
            return
        }
        let error = StorageError.newerSchema(migration: refused.name)
        #expect(throws: error) { try SQLiteStore.migrations(path: engine.path, all: earlier) }
        #expect(error.text.contains("a newer version") && error.text.contains(refused.name))
        // The way back is the copy.
        let copy = copyPath(earlier.last)
        #expect(try SQLiteStore.migrations(path: copy, all: earlier).copy == nil)
        #expect(try query("SELECT count(*) FROM messages", in: copy) == messages)
    }

    @Test("the page of changes lists every migration, and whether it is additive")
    func page() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Sources/switchboard/Documentation.docc/Changelog.md"),
            encoding: .utf8
        )
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| 0") }.map { line in
            line.split(separator: "|").prefix(2).map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(
            rows == Migrations.all.map { [$0.name.replacing("-", with: " "), $0.isAdditive ? "yes" : "no"] }
        )
    }

    // MARK: Data of earlier versions

    @Test("data of the first version opens, records its migrations, and keeps its rows")
    func upgrade() async throws {
        try engine.load(fixture: "data-0001")
        let tables =
            try query("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'") as [String?]
        var counts: [String: Int?] = [:]
        for table in tables.compactMap(\.self) { counts[table] = try query("SELECT count(*) FROM \(table)")[0] }
        let store = try engine.openSQLite()
        let now = Timestamp(milliseconds: 1_795_399_100_000)
        let start = try await store.begin(now: now)
        #expect(start.incarnation.rawValue == 2)
        let travel = BrandID(trusted: "travel")
        let consumer = ConsumerID(trusted: "u-1")
        #expect(try await store.unread(brand: travel, consumer: consumer).total == 6)
        #expect(try await store.brands().map(\.id.rawValue).sorted() == ["bank", "travel"])
        let stats = try await store.deliveryStats(brand: travel, window: StatsWindow(seconds: 3600), now: now)
        #expect(stats.finished.reduce(0) { $0 + $1.count } == 15)
        #expect(stats.unfinished.reduce(0) { $0 + $1.count } == 2)
        for (conversation, sequences) in [("c-9", [1, 2, 3]), ("c-10", [1, 2, 3]), ("c-11", [1, 2])] {
            let messages = try await store.messages(
                brand: travel,
                consumer: consumer,
                conversation: ConversationID(trusted: conversation),
                afterSequence: 0,
                after: nil,
                limit: 10
            )
            #expect(messages?.map(\.sequence) == sequences.map { Int64($0) })
        }
        await store.close()
        #expect(try engine.brokenChains() == [])
        for (table, count) in counts where !Self.changing.contains(table) {
            #expect(try query("SELECT count(*) FROM \(table)")[0] == count, "\(table)")
        }
        #expect(try query("PRAGMA application_id") == [Schema.applicationID])
        #expect(try query("SELECT hash FROM applied_migrations ORDER BY name") == Migrations.all.map { Data($0.hash) })
    }

    @Test("rows that waited before the upgrade keep their due time, and are handed out in order")
    func waiting() async throws {
        try engine.load(fixture: "data-0001")
        let store = try engine.openSQLite()
        #expect(try query("SELECT due FROM waiting") == [1_795_403_142_198])
        #expect(try query("SELECT not_before FROM waiting") == [1_795_403_142_198])
        #expect(try query("SELECT rows FROM waiting") == [2])
        let start = try await store.begin(now: Timestamp(milliseconds: 1_795_399_100_000))
        let lane = LaneID(1)
        #expect(start.backlog[LaneQueue(lane, .agent)] == Timestamp(milliseconds: 1_795_403_142_198))
        func claimed(at milliseconds: Int64) async throws -> [Int64] {
            var turn = WriterTurn(now: Timestamp(milliseconds: milliseconds), incarnation: start.incarnation)
            turn.claims = [ClaimRequest(lane: lane, limit: 10)]
            return try await store.commit(turn).claims.flatMap(\.rows).map(\.id.rawValue)
        }
        #expect(try await claimed(at: 1_795_403_142_197) == [])
        #expect(try await claimed(at: 1_795_403_142_198) == [25, 27])
        await store.close()
    }

    @Test("existing brands still merge by device, and existing anonymous sessions prove a merge for a week")
    func merges() async throws {
        try engine.load(fixture: "data-0001")
        let store = try engine.openSQLite()
        #expect(try await store.brands().map(\.settings.anonymousMerge) == [.device, .device])
        #expect(try await store.brands().map(\.settings.anonymousMergeDays) == [7, 7])
        let brand = BrandID(trusted: "travel")
        try await store.insertBrand(
            Brand(
                id: BrandID(trusted: "new"),
                name: "New",
                settings: BrandSettings(),
                createdAt: Timestamp(milliseconds: 1)
            ),
            audit: nil
        )
        #expect(try await store.brands().map(\.settings.anonymousMerge) == [.device, .token, .device])
        let guests =
            try query("SELECT hex(token_hash) FROM sessions WHERE device LIKE 'guest-%' ORDER BY device") as [String?]
        let hashes = guests.compactMap { text in
            text.map { text in
                stride(from: 0, to: 64, by: 2).map { place in
                    let start = text.index(text.startIndex, offsetBy: place)
                    return UInt8(text[start..<text.index(start, offsetBy: 2)], radix: 16) ?? 0
                }
            }
        }
        try #require(hashes.count == 3)
        // The sessions expired at 1,795,402,617,793 and later, in this order.
        var incarnation = IncarnationID(0)
        func login(_ place: Int, at milliseconds: Int64) async throws -> Int {
            let now = Timestamp(milliseconds: milliseconds)
            if incarnation.rawValue == 0 { incarnation = try await store.begin(now: now).incarnation }
            _ = try await store.runHousekeeping(HousekeepingBatch(work: .sessions, now: now, limit: 100))
            var turn = WriterTurn(now: now, incarnation: incarnation)
            let session = StoredSession(
                tokenHash: [UInt8](repeating: UInt8(place), count: 32),
                brand: brand,
                consumer: ConsumerID(trusted: "u-1"),
                device: nil,
                expiresAt: now.adding(seconds: 60),
                createdAt: now
            )
            turn.changes = [.openSession(session, LoginTerms(anonymousToken: hashes[place]))]
            guard case .sessionOpened(let opening)? = try await store.commit(turn).changes.first else { return -1 }
            return opening.merged.count
        }
        #expect(try await login(0, at: 1_795_399_100_000) == 1)
        #expect(try await login(1, at: 1_795_402_617_825 + 604_800_000) == 1)
        #expect(try await login(2, at: 1_795_402_617_832 + 604_800_001) == 0)
        await store.close()
    }

    @Test("an existing app is deleted in batches, with no registrations of other apps")
    func deletedApp() async throws {
        try engine.load(fixture: "data-0001")
        let store = try engine.openSQLite()
        let now = Timestamp(milliseconds: 1_795_399_100_000)
        _ = try await store.begin(now: now)
        let travel = BrandID(trusted: "travel")
        let apps = try await store.apps().filter { $0.brand == travel }.map(\.id)
        for app in apps { #expect(try await store.deleteApp(brand: travel, app: app, audit: nil) != nil) }
        var batch = HousekeepingBatch(work: .deletedApps, now: now, limit: 2)
        var removed = 0
        repeat {
            let progress = try await store.runHousekeeping(batch)
            removed += progress.removed
            batch.position = progress.next
        } while batch.position != nil
        await store.close()
        #expect(removed > 2)
        #expect(try query("SELECT count(*) FROM deleted_lanes") == [0])
        #expect(
            try query("SELECT count(*) FROM registrations WHERE brand = (SELECT key FROM brands WHERE id = 'travel')")
                == [0]
        )
        #expect(try query("SELECT count(*) > 0 FROM registrations") == [1])
    }

    /// Tables to which a start or a migration adds rows.
    private static let changing: Set = ["grdb_migrations", "incarnations", "high_marks", "log_words", "log_counts"]

    // MARK: The copy

    @Test("before a migration the data is copied beside itself, once and without access for group and others")
    func copied() async throws {
        try engine.load(fixture: "data-0001")
        let migrations = Migrations.all + [Self.later]
        let path = copyPath(Migrations.all[0])
        #expect(try SQLiteStore.migrations(path: engine.path, all: migrations).copy == path)
        await (try open([Self.later])).close()
        #expect(try query("SELECT DISTINCT later FROM brands") == [1])
        #expect(try query("SELECT count(*) FROM pragma_table_info('brands') WHERE name = 'later'", in: path) == [0])
        #expect(
            try query("SELECT count(*) FROM messages", in: path) == query("SELECT count(*) FROM messages", as: Int.self)
        )
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        #expect(try SQLiteStore.migrations(path: engine.path, all: migrations).copy == nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        await (try open([Self.later])).close()
        let again = try FileManager.default.attributesOfItem(atPath: path)
        #expect(again[.systemFileNumber] as? NSNumber == attributes[.systemFileNumber] as? NSNumber)
        #expect(try names.filter { $0.contains(".at-") } == [URL(filePath: path).lastPathComponent])
        // It is a backup: the earlier data can be restored from it.
        _ = try SQLiteStore.restore(path: engine.path, from: path, isReplacing: true, suffix: "now")
        let restored = try open()
        try await restored.probe()
        await restored.close()
    }

    @Test("no copy is made when it is disabled")
    func notCopied() async throws {
        await (try open()).close()
        await (try open([Self.later], copies: false)).close()
        #expect(try query("SELECT count(*) FROM pragma_table_info('brands') WHERE name = 'later'") == [1])
        #expect(try !names.contains { $0.contains(".at-") })
    }

    @Test("a migration that fails changes nothing, and the copy exists")
    func failedMigration() async throws {
        await (try open()).close()
        try execute("INSERT INTO brands (id, name, settings, created_at) VALUES ('acme', 'Acme', '{}', 0)")
        let failing = Migration("9002-failing", isAdditive: false, sql: "DELETE FROM brands; SELECT * FROM nowhere;")
        for _ in 0..<2 {
            #expect(rejection([failing]) != nil)
            #expect(try query("SELECT id FROM brands") == ["acme"])
            #expect(try query("SELECT id FROM brands", in: copyPath()) == ["acme"])
        }
        await (try open()).close()
    }

    @Test("a failed copy leaves the earlier copy and the data unchanged")
    func noRoom() async throws {
        await (try open()).close()
        try execute("INSERT INTO brands (id, name, settings, created_at) VALUES ('acme', 'Acme', '{}', 0)")
        let copy = MigrationCopy(source: engine.path, last: Migrations.all[Migrations.all.count - 1].name)
        #expect(copy.path == copyPath())
        let report = try copy.take(bytes: 1)
        let whole = try Data(contentsOf: URL(filePath: copy.path))
        #expect(whole.count == report.bytes)
        try Data("half".utf8).write(to: URL(filePath: copy.path + ".partial"))
        var full = copy
        full.freeBytes = { _ in 1000 }
        #expect {
            try full.take(bytes: 401)
        } throws: { error in
            guard case .full(let detail) = error as? StorageError else { return false }
            return detail.contains(copy.path) && detail.contains("1002 bytes") && detail.contains("copyBeforeMigration")
        }
        #expect(try Data(contentsOf: URL(filePath: copy.path)) == whole)
        // Damaged data does not replace an intact copy, and is not migrated.
        var damaged = try bytes
        for index in stride(from: 8192, to: damaged.count, by: 509) { damaged[index] ^= 0x55 }
        try damaged.write(to: URL(filePath: engine.path))
        #expect(rejection([Self.later]) != nil)
        #expect(try bytes == damaged)
        #expect(try Data(contentsOf: URL(filePath: copy.path)) == whole)
        #expect(try names.filter { $0.contains(".partial") } == [])
    }
}
