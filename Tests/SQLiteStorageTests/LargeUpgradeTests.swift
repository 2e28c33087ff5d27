import Foundation
import GRDB
import GatewayModel
import GatewayStorage
import SQLStorage
import StorageContract
import Testing
import TurnRules

@testable import SQLiteStorage

/// Data of an earlier build with a long log, with devices that changed hands and rows that wait, opened by this build.
@Suite("A long delivery log of an earlier build", .timeLimit(.minutes(10)))
struct LargeUpgradeTests {
    private static let brand = BrandID(trusted: "large")
    private static let people = 1...20
    private static let day: Int64 = 20_780
    /// The time at which waiting rows are due.
    private static let due = Timestamp(milliseconds: 1_795_403_142_198)
    private static let longID = "0190f3c2-7f0e-7cc0-8000-3b2a73afe97c"

    private let engine: SQLiteEngine

    init() throws { engine = try SQLiteEngine() }

    /// Migrates data of the first version to a later schema, and fills it as that build would have.
    private func prepare(through last: Int) throws -> DatabaseQueue {
        try engine.load(fixture: "data-0001")
        do {
            let db = try Connection(path: engine.path)
            try Migrations.apply(to: db, path: engine.path, Schema(db), all: Array(Migrations.all.prefix(last)))
        }
        let queue = try DatabaseQueue(path: engine.path)
        try queue.write { db in
            try db.execute(sql: Self.rows)
            try db.execute(sql: last < 10 ? Self.waitingByDevice : Self.waitingByQueue)
            // Two phones end and one moves to another consumer, as that build's SQL does it: triggers see it from 0009
            // on.
            try db.execute(
                sql: """
                    DELETE FROM registrations WHERE id IN (2001, 2002);
                    UPDATE registrations SET consumer = 1006 WHERE id = 2003;
                    INSERT INTO delivery_log (id, brand, app, device, consumer, push_type, message, state, attempts,
                        queued_at, change) SELECT 10000 + value, 3, 'ios', 'moved', 1006, 'apns', NULL, 'accepted', 1,
                        1795401000000, 10000 + value FROM json_each('[1, 2, 3]');
                    """
            )
            let event = AgentEvent(
                id: EventID(trusted: Self.longID),
                type: .agentMessage,
                consumer: ConsumerID(trusted: "new")
            )
            let key = EventKey(event, of: nil, brand: 3, at: Self.due)
            let hash = last >= 9 ? Replay(byBrand: key).hash : nil
            try db.execute(
                sql: "INSERT INTO dedupe (day, brand, event, body_hash) VALUES (?, 3, ?, 5)",
                arguments: [Self.day + 1, hash.map { Data($0).databaseValue } ?? Self.longID.databaseValue]
            )
        }
        return queue
    }

    /// Twenty consumers with 200 messages each in the log and three that are not finished.
    ///
    /// The first half of the first two went to phones that are removed, some of the first's to one that now belongs to
    /// another consumer. The outbox rows of the last five belong to the process that was killed.
    private static let rows = """
        INSERT INTO brands (key, id, name, settings, created_at)
            SELECT 3, 'large', 'Large', settings, created_at FROM brands WHERE key = 1;
        INSERT INTO apps (brand, id, settings, updated_at) SELECT 3, id, settings, updated_at FROM apps WHERE id = 'ios'
            AND brand = 1;
        INSERT INTO lanes (id, brand, app, push_type, environment) VALUES (101, 3, 'ios', 'apns', 'production');
        CREATE TEMP TABLE n (n INTEGER PRIMARY KEY, i INTEGER, sequence INTEGER, message INTEGER, at INTEGER);
        WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 4060)
            INSERT INTO n SELECT n, (n - 1) % 20 + 1, (n - 1) / 20 + 1, (1795400000000 + n) << 16 | 28672, 1795400000000 + n
            FROM c;
        INSERT INTO consumers (key, brand, id, anonymous, created_at) SELECT 1000 + i, 3, 'p-' || i, 0, 1795400000000
            FROM n WHERE sequence = 1;
        CREATE TEMP TABLE phones (id INTEGER, device TEXT, consumer INTEGER);
        INSERT INTO phones SELECT 1000 + i, 'd-' || i, 1000 + i FROM n WHERE sequence = 1;
        INSERT INTO phones VALUES (2001, 'x-1', 1001), (2002, 'x-2', 1002), (2003, 'moved', 1001);
        INSERT INTO registrations (id, brand, app, device, consumer, lane, token, push_type, environment, platform,
            receives, state, registered_at, created_at, last_seen_at)
            SELECT id, 3, 'ios', device, consumer, 101, 't-' || id, 'apns', 'production', 'ios', 3, 'active',
            1795400000000, 1795400000000, 1795400000000 FROM phones;
        INSERT INTO messages (key, low, conversation, sequence, counts, kind, text, priority, silent, accepted_at, sent_at,
            expires_at) SELECT message, -9055192810609198181, 1000 + i, sequence, 1, 'agent', 'text', 'high', 0, at, at,
            at + 604800000 FROM n;
        INSERT INTO conversations (key, brand, id, consumer, last_sequence, read_sequence, unread, last_message)
            SELECT 1000 + i, 3, 'c-' || i, 1000 + i, 203, 200 - i, i + 3, max(message) FROM n GROUP BY i;
        INSERT INTO delivery_log (id, brand, app, device, consumer, push_type, message, state, attempts, status, reason,
            queued_at, sent_at, latency, badge, change, indexed)
            SELECT 1000 + n, 3, 'ios', CASE WHEN i <= 2 AND sequence <= 100 THEN 'x-' || i
            WHEN i = 1 AND sequence <= 120 THEN 'moved' ELSE 'd-' || i END, 1000 + i, 'apns', message,
            iif(n % 7 = 0, 'failed', 'accepted'), 1, iif(n % 7 = 0, 400, 200), iif(n % 7 = 0, 'BadTopic', NULL),
            at, at, 5, 1, 1000 + n, n <= 3000 FROM n WHERE n <= 4000;
        INSERT OR REPLACE INTO log_marks VALUES (1, 4000, 0);
        INSERT INTO outbox (id, lane, registration, conversation, sequence, message, kind, owner, attempts, expires_at,
            queued_at) SELECT 1000 + n, 101, 1000 + i, 1000 + i, sequence, message, 0, iif(i > 15, 1, NULL), 1,
            at + 604800000, at FROM n WHERE n > 4000;
        INSERT INTO dedupe (day, brand, event, body_hash, message) SELECT 20780, 3, 'ev-' || n, n, message FROM n;
        """

    private static let waitingByDevice = """
        INSERT INTO waiting (registration, lane, due, not_before, rows)
            SELECT registration, lane, 1795403142198, 1795403142198, count(*) FROM outbox
            WHERE owner IS NULL AND lane = 101 GROUP BY registration;
        """

    private static let waitingByQueue = """
        UPDATE conversations SET has_unread = unread > 0;
        INSERT INTO waiting (registration, queue, lane, due, not_before, rows)
            SELECT registration, queue, lane, 1795403142198, 1795403142198, count(*) FROM outbox
            WHERE owner IS NULL AND lane = 101 GROUP BY registration, queue;
        """

    /// Returns the rows that a full scan finds, newest first; an unfinished row belongs to its registration.
    private func numbers(_ condition: String, _ queue: DatabaseQueue) throws -> [Int64] {
        try queue.read { db in
            try Int64.fetchAll(
                db,
                sql: """
                    SELECT id FROM (SELECT id, consumer, device FROM delivery_log WHERE brand = 3 UNION ALL
                    SELECT o.id, r.consumer, r.device FROM outbox o JOIN registrations r ON r.id = o.registration
                    WHERE r.brand = 3) WHERE \(condition) ORDER BY id DESC
                    """
            )
        }
    }

    private func listed(_ store: SQLiteStore, consumer: String? = nil, device: String? = nil) async throws -> [Int64] {
        var query = DeliveryQuery(brand: Self.brand, limit: 70)
        query.consumer = consumer.map { ConsumerID(trusted: $0) }
        query.device = device.map { DeviceID(trusted: $0) }
        var found: [Int64] = []
        repeat {
            let page = try await store.deliveries(query)
            found += page.items.map(\.id.rawValue)
            query.before = page.next
        } while query.before != nil
        return found
    }

    @Test("lists, counts, duplicates, claims and erasures are as before", arguments: [8, 11, 15])
    func same(last: Int) async throws {
        let queue = try prepare(through: last)
        let devices = ["d-1", "d-3", "x-1", "x-2", "moved"]
        let byDevice = try devices.map { try numbers("device = '\($0)'", queue) }
        let byConsumer = try Self.people.map { try numbers("consumer = \(1000 + $0)", queue) }
        #expect(byDevice.map(\.count) == [83, 203, 100, 100, 23] && byConsumer.allSatisfy { $0.count >= 203 })
        try queue.close()

        let store = try engine.openSQLite()
        let now = Self.due.adding(seconds: -60)
        let start = try await store.begin(now: now)
        for (device, before) in zip(devices, byDevice) { #expect(try await listed(store, device: device) == before) }
        for (person, before) in zip(Self.people, byConsumer) {
            #expect(try await listed(store, consumer: "p-\(person)") == before)
            let consumer = ConsumerID(trusted: "p-\(person)")
            #expect(try await store.unread(brand: Self.brand, consumer: consumer).total == Int64(person + 3))
        }
        try await expectDuplicates(store, start.incarnation, at: now)
        try await expectClaims(store, start.incarnation, before: now)
        try await expectErasure(store, start.incarnation, others: byConsumer)
        await store.close()
        #expect(try engine.miscounted() == [])
        #expect(try engine.brokenChains() == [])
    }

    @Test("conversations keep their messages in order, and their counters, though some messages were removed before")
    func conversations() async throws {
        let gone: Set<Int64> = [1, 2, 64, 65, 100, 128, 203]
        let queue = try prepare(through: 15)
        try await queue.write { db in
            try db.execute(
                sql: """
                    DELETE FROM messages WHERE conversation = 1005 AND sequence IN (1, 2, 64, 65, 100, 128, 203);
                    DELETE FROM messages WHERE conversation = 1006;
                    -- As of an earlier message: the earlier version counted on from it.
                    UPDATE conversations SET last_sequence = 190, unread = 10,
                        last_message = (SELECT key FROM messages WHERE conversation = 1020 AND sequence = 190)
                        WHERE key = 1020;
                    """
            )
        }
        try queue.close()
        let store = try engine.openSQLite()
        let start = try await store.begin(now: Self.due)
        func page(_ person: Int, after: Int64, limit: Int = 500) async throws -> [Int64]? {
            try await store.messages(
                brand: Self.brand,
                consumer: ConsumerID(trusted: "p-\(person)"),
                conversation: ConversationID(trusted: "c-\(person)"),
                afterSequence: after,
                after: nil,
                limit: limit
            )?.map(\.sequence)
        }
        let left = (1...203 as ClosedRange<Int64>).filter { !gone.contains($0) }
        for after in [0, 1, 63, 64, 65, 127, 128, 202, 203] as [Int64] {
            #expect(try await page(5, after: after, limit: 70) == Array(left.filter { $0 > after }.prefix(70)))
            #expect(try await page(20, after: after) == (1...203).filter { $0 > after })
        }
        let counts = try await store.unread(brand: Self.brand, consumer: ConsumerID(trusted: "p-20"))
        #expect(counts.total == 23 && counts.conversations.map(\.lastSequence) == [203])
        // The next message follows the last that is left, if there is one.
        var ids = MessageIDGenerator()
        let events = [5, 6, 20].map { person in
            var event = AgentEvent(
                id: EventID(trusted: "next-\(person)"),
                type: .agentMessage,
                consumer: ConsumerID(trusted: "p-\(person)")
            )
            event.conversation = ConversationID(trusted: "c-\(person)")
            event.text = "text"
            return PostedEvent(event, ids.next(at: Self.due))
        }
        var turn = WriterTurn(now: Self.due, incarnation: start.incarnation)
        turn.accepts = [AcceptRequest(brand: Self.brand, messageTtlSeconds: 60, dedupeHours: 72, events: events)]
        _ = try await store.commit(turn)
        #expect(try await page(5, after: 200) == [201, 202, 204])
        #expect(try await page(6, after: 0) == [204])
        #expect(try await page(20, after: 202) == [203, 204])
        await store.close()
        #expect(try engine.brokenChains() == [])
    }

    private func expectDuplicates(_ store: SQLiteStore, _ incarnation: IncarnationID, at now: Timestamp) async throws {
        var ids = MessageIDGenerator()
        // An event with a message is its consumer's.
        let known: [(String, String, UInt64)] = [
            ("ev-1", "p-1", 1), ("ev-2030", "p-10", 2030), ("ev-4060", "p-20", 4060), (Self.longID, "new", 5),
            ("ev-4061", "new", 4061), ("ev-1", "new", 1),
        ]
        let events = known.map { id, consumer, hash in
            var event = AgentEvent(
                id: EventID(trusted: id),
                type: .agentMessage,
                consumer: ConsumerID(trusted: consumer)
            )
            event.text = "text"
            event.bodyHash = hash
            return PostedEvent(event, ids.next(at: now))
        }
        var turn = WriterTurn(now: now, incarnation: incarnation)
        turn.accepts = [AcceptRequest(brand: Self.brand, messageTtlSeconds: 60, dedupeHours: 72, events: events)]
        let results = try await store.commit(turn).accepts.flatMap { $0 }
        let areDuplicates = results.map { if case .duplicate = $0 { true } else { false } }
        #expect(areDuplicates == [true, true, true, true, false, false])
    }

    private func expectClaims(_ store: SQLiteStore, _ incarnation: IncarnationID, before: Timestamp) async throws {
        func claimed(at now: Timestamp) async throws -> [Int64] {
            var turn = WriterTurn(now: now, incarnation: incarnation)
            turn.claims = [ClaimRequest(lane: LaneID(101), limit: 100)]
            return try await store.commit(turn).claims.flatMap(\.rows).map(\.id.rawValue)
        }
        // Rows of the killed process are sent at once, the others when they are due.
        let all: [Int64] = (5001...5060).map { $0 }
        let isKilled = { (id: Int64) in (id - 5001) % 20 >= 15 }
        #expect(try await claimed(at: before).sorted() == all.filter { isKilled($0) })
        #expect(try await claimed(at: Self.due).sorted() == all.filter { !isKilled($0) })
    }

    private func expectErasure(_ store: SQLiteStore, _ incarnation: IncarnationID, others: [[Int64]]) async throws {
        var turn = WriterTurn(now: Self.due, incarnation: incarnation)
        let request = ErasureRequest(brand: Self.brand, consumer: ConsumerID(trusted: "p-1"), audit: nil)
        turn.changes = [.erase(request)]
        guard case .erased? = try await store.commit(turn).changes.first else {
            Issue.record("the consumer was not erased")
            return
        }
        var batch = HousekeepingBatch(work: .erasures, now: Self.due, limit: 50)
        for _ in 0..<1000 {
            let progress = try await store.runHousekeeping(batch)
            if progress.removed == 0 && progress.next == nil { break }
            batch.position = progress.next
        }
        #expect(try await listed(store, device: "moved") == [10_003, 10_002, 10_001])
        #expect(try await listed(store, device: "x-1") == [])
        for person in Self.people.dropFirst() {
            #expect(try await listed(store, consumer: "p-\(person)") == others[person - 1])
        }
        let left = try await store.pool.read { db in
            try ["delivery_log", "former_devices", "registrations", "conversations"].map {
                try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0) WHERE consumer = 1001")
            }
        }
        #expect(left == [0, 0, 0, 0])
    }
}
