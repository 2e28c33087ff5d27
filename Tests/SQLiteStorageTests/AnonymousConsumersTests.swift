import GRDB
import GatewayModel
import GatewayStorage
import Testing

@testable import SQLiteStorage

@Suite("Anonymous consumers without stored data", .timeLimit(.minutes(10)))
struct AnonymousConsumersTests {
    private let engine: SQLiteEngine

    init() throws { engine = try SQLiteEngine() }

    private func clear(_ store: SQLiteStore, now: Timestamp, limit: Int) async throws -> (removed: Int, batches: Int) {
        var (removed, batches) = (0, 0)
        var batch = HousekeepingBatch(work: .anonymous, now: now, limit: limit)
        repeat {
            let progress = try await store.runHousekeeping(batch)
            #expect(progress.removed <= limit)
            removed += progress.removed
            batches += 1
            batch.position = progress.next
        } while batch.position != nil
        return (removed, batches)
    }

    @Test("20,000 of them are removed in batches, and the others are not checked again on the same day")
    func many() async throws {
        let store = try engine.openSQLite()
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        try await store.pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO brands (key, id, name, settings, created_at) VALUES (1, 'acme', 'Acme', '{}', 0);
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                    INSERT INTO consumers (key, brand, id, anonymous, created_at, goes_at)
                    SELECT i, 1, 'a-' || i, 1, i, i FROM n;
                    INSERT INTO sessions (token_hash, brand, consumer, expires_at, created_at)
                    SELECT randomblob(32), 1, key, 1000, 0 FROM consumers;
                    INSERT INTO conversations (brand, id, consumer) SELECT 1, 'c-' || key, key FROM consumers WHERE key % 100 = 0;
                    """
            )
        }
        let first = try await clear(store, now: now, limit: 2000)
        #expect(first.removed == 19_800 && first.batches == 11)
        #expect(try await clear(store, now: now, limit: 2000) == (0, 1))
        let left = try await store.pool.read { db in
            [
                try Int.fetchOne(db, sql: "SELECT count(*) FROM consumers"),
                try Int.fetchOne(db, sql: "SELECT count(*) FROM sessions"),
            ]
        }
        #expect(left == [200, 200])
        await store.close()
    }

    @Test("those of the first version are checked a day after the upgrade")
    func upgraded() async throws {
        try engine.load(fixture: "data-0001")
        let store = try engine.openSQLite()
        let upgraded = try await store.pool.read { db in
            try Int64.fetchOne(db, sql: "SELECT CAST(strftime('%s', 'now') AS INTEGER) * 1000")
        }
        let now = Timestamp(milliseconds: try #require(upgraded))
        #expect(try await clear(store, now: now.adding(seconds: 86_000), limit: 10).removed == 0)
        // One of the three has a message; the tokens of the others prove a merge until a week after their sessions.
        let later = Timestamp(milliseconds: max(now.milliseconds, 1_795_410_000_000)).adding(seconds: 10 * 86_400)
        #expect(try await clear(store, now: later, limit: 10).removed == 2)
        await store.close()
    }
}
