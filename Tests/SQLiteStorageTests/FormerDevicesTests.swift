import CSQLite
import GatewayModel
import GatewayStorage
import Testing

@testable import SQLiteStorage

@Suite("Former devices of consumers", .timeLimit(.minutes(10)))
struct FormerDevicesTests {
    @Test("a device's former consumers are stored as long as the log has rows of them, and no longer")
    func forgotten() async throws {
        let engine = try SQLiteEngine()
        let store = try engine.openSQLite()
        try await store.pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO brands (key, id, name, settings, created_at) VALUES (1, 'acme', 'Acme', '{}', 0);
                    INSERT INTO consumers (key, brand, id, anonymous, created_at)
                    VALUES (1, 1, 'u-1', 0, 0), (2, 1, 'u-2', 0, 0);
                    INSERT INTO registrations (id, brand, app, device, consumer, lane, token, push_type, environment, platform,
                    receives, state, registered_at, created_at, last_seen_at)
                    SELECT value, 1, 'shop', 'd-' || value, 1, 1, 't', 'apns', 'production', 'ios', 3, 'active', 0, 0, 0
                    FROM json_each('[1, 2]');
                    -- Before there is a log nothing has to be found in it.
                    DELETE FROM registrations WHERE id = 1;
                    INSERT INTO delivery_log (id, brand, app, device, consumer, push_type, state, attempts, queued_at, change)
                    VALUES (7, 1, 'shop', 'd-2', 1, 'apns', 'accepted', 1, 0, 1);
                    UPDATE registrations SET consumer = 2 WHERE id = 2;
                    DELETE FROM registrations WHERE id = 2;
                    """
            )
        }
        func former() async throws -> [String] {
            try await store.pool.read {
                try String.fetchAll(
                    $0,
                    sql: "SELECT device || ' ' || consumer || ' ' || last_delivery FROM former_devices ORDER BY 1"
                )
            }
        }
        #expect(try await former() == ["d-2 1 7", "d-2 2 7"])
        var query = DeliveryQuery(brand: BrandID(trusted: "acme"), limit: 10)
        query.device = DeviceID(trusted: "d-2")
        #expect(try await store.deliveries(query).items.map(\.id) == [DeliveryID(7)])
        let now = Timestamp(milliseconds: 1000)
        let before = [BrandID(trusted: "acme"): now]
        _ = try await store.runHousekeeping(HousekeepingBatch(work: .deliveries(before: before), now: now, limit: 10))
        #expect(try await former() == [])
        await store.close()
    }

    @Test("the end of a registration costs the same, however long the log is")
    func cost() async throws {
        let engine = try SQLiteEngine()
        let store = try engine.openSQLite()
        let steps = try await store.pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO brands (key, id, name, settings, created_at) VALUES (1, 'acme', 'Acme', '{}', 0);
                    INSERT INTO consumers (key, brand, id, anonymous, created_at)
                    VALUES (1, 1, 'u-1', 0, 0), (2, 1, 'u-2', 0, 0);
                    INSERT INTO registrations (id, brand, app, device, consumer, lane, token, push_type, environment, platform,
                    receives, state, registered_at, created_at, last_seen_at)
                    VALUES (1, 1, 'shop', 'd-1', 1, 1, 't', 'apns', 'production', 'ios', 3, 'active', 0, 0, 0);
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
                    INSERT INTO delivery_log (id, brand, app, device, consumer, push_type, state, attempts, queued_at, change)
                    SELECT i, 1, 'shop', 'd-2', 1, 'apns', 'accepted', 1, 0, 1 FROM n;
                    """
            )
            return ["UPDATE registrations SET consumer = 2 WHERE id = 1", "DELETE FROM registrations WHERE id = 1"]
                .map {
                    var statement: OpaquePointer?
                    sqlite3_prepare_v2(db.handle, $0, -1, &statement, nil)
                    defer { sqlite3_finalize(statement) }
                    #expect(sqlite3_step(statement) == SQLITE_DONE)
                    return sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0)
                }
        }
        #expect(steps.allSatisfy { (1...1000).contains($0) }, "\(steps)")
        await store.close()
    }
}
