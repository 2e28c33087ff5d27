import GRDB
import GatewayModel
import GatewayStorage
import SQLStorage
import Testing

@testable import SQLiteStorage

/// Data of the version in which ids of events and conversations belonged to the brand, opened by this version.
@Suite("Ids of an earlier version, which belonged to the brand", .timeLimit(.minutes(10)))
struct ConsumerNamesUpgradeTests {
    private static let brand = BrandID(trusted: "travel")
    private static let now = Timestamp(milliseconds: 1_795_399_100_000)

    private let engine: SQLiteEngine

    init() throws { engine = try SQLiteEngine() }

    /// Migrates data of the first version to the last one whose ids belong to the brand, and adds rows; returns the
    /// events of the brand with a message, with their consumers.
    private func prepare(_ sql: String = "") throws -> [(event: String, consumer: String)] {
        try engine.load(fixture: "data-0001")
        do {
            let db = try Connection(path: engine.path)
            try Migrations.apply(to: db, path: engine.path, Schema(db), all: Array(Migrations.all.prefix(17)))
        }
        let queue = try DatabaseQueue(path: engine.path)
        let events: [(event: String, consumer: String)] = try queue.write { db in
            try db.execute(sql: sql)
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT d.event, u.id FROM dedupe d JOIN messages m ON m.key = d.message
                    JOIN conversations c ON c.key = m.conversation JOIN consumers u ON u.key = c.consumer
                    WHERE d.brand = 1 AND d.event LIKE 'evt-%' ORDER BY d.event
                    """
            ).map { row -> (event: String, consumer: String) in try (row.value(0), row.value(1)) }
        }
        try queue.close()
        return events
    }

    private func value<Value: DatabaseValueConvertible>(_ sql: String, as _: Value.Type) throws -> Value? {
        try DatabaseQueue(path: engine.path).read { try Value.fetchOne($0, sql: sql) }
    }

    private func accept(
        _ events: [AgentEvent],
        _ store: SQLiteStore,
        _ incarnation: IncarnationID,
        _ ids: inout MessageIDGenerator,
        at now: Timestamp = Self.now
    ) async throws -> [EventResult] {
        var turn = WriterTurn(now: now, incarnation: incarnation)
        let posted = events.map { PostedEvent($0, ids.next(at: now)) }
        turn.accepts = [AcceptRequest(brand: Self.brand, messageTtlSeconds: 60, dedupeHours: 72, events: posted)]
        return try await store.commit(turn).accepts.flatMap { $0 }
    }

    private func message(_ id: String, _ consumer: String, in conversation: String? = nil) -> AgentEvent {
        var event = AgentEvent(
            id: EventID(trusted: id),
            type: .agentMessage,
            consumer: ConsumerID(trusted: consumer)
        )
        event.conversation = conversation.map(ConversationID.init(trusted:))
        event.text = "Your order has shipped"
        return event
    }

    private func isDuplicate(_ result: EventResult) -> Bool { if case .duplicate = result { true } else { false } }

    private func sequences(_ store: SQLiteStore, _ consumer: String, _ conversation: String) async throws -> [Int64]? {
        try await store.messages(
            brand: Self.brand,
            consumer: ConsumerID(trusted: consumer),
            conversation: ConversationID(trusted: conversation),
            afterSequence: 0,
            after: nil,
            limit: 10
        )?.map(\.sequence)
    }

    @Test("an event is a replay for the consumer of its message; one without a message for any, until its day is over")
    func replays() async throws {
        let known = try prepare(
            """
            INSERT INTO dedupe (day, brand, event, body_hash) VALUES (20780, 1, 'read-1', 5), (20780, 1, 'read-2', 5);
            INSERT INTO dedupe (day, brand, event, body_hash, message) VALUES (20780, 1, 'gone-1', 5, 12345);
            """
        )
        #expect(known.count >= 3)
        var ids = MessageIDGenerator()
        let store = try engine.openSQLite()
        let start = try await store.begin(now: Self.now)
        for (event, consumer) in known {
            let results = try await accept(
                [message(event, consumer), message(event, "newcomer"), message(event, "newcomer")],
                store,
                start.incarnation,
                &ids
            )
            #expect(results.map(isDuplicate) == [true, false, true], "\(event)")
        }
        let unknown = [message("read-1", "u-1"), message("read-1", "newcomer"), message("gone-1", "newcomer")]
        let asBefore = try await accept(unknown, store, start.incarnation, &ids)
        #expect(asBefore.map(isDuplicate) == [true, true, true])
        // Four days later it is forgotten, and until then it is not stored a second time.
        let later = Self.now.adding(seconds: 4 * 86_400)
        let again = [message("read-1", "newcomer"), message("read-1", "u-1"), message("read-1", "u-1")]
        let afterwards = try await accept(again, store, start.incarnation, &ids, at: later)
        #expect(afterwards.map(isDuplicate) == [false, false, true])
        await store.close()
        #expect(try engine.miscounted() == [])
        #expect(try engine.brokenChains() == [])
    }

    @Test("conversations keep their consumer, their messages and their numbers; others may use their ids")
    func conversations() async throws {
        _ = try prepare(
            """
            INSERT INTO resting_conversations (brand, id, consumer, last_sequence, read_sequence)
                VALUES (1, 'c-rest', 1, 7, 7);
            INSERT INTO conversations (key, brand, id, consumer) VALUES (900, 1, 'c-900', 1);
            DELETE FROM conversations WHERE key = 900;
            """
        )
        #expect(try value("SELECT id FROM consumers WHERE key = 1", as: String.self) == "u-1")
        var ids = MessageIDGenerator()
        let store = try engine.openSQLite()
        let start = try await store.begin(now: Self.now)
        let unread = try await store.unread(brand: Self.brand, consumer: ConsumerID(trusted: "u-1")).total
        #expect(unread == 6)
        for (conversation, expected) in [("c-9", [1, 2, 3]), ("c-10", [1, 2, 3]), ("c-11", [1, 2])] {
            #expect(try await sequences(store, "u-1", conversation) == expected.map { Int64($0) })
            #expect(try await sequences(store, "newcomer", conversation) == nil)
        }
        let results = try await accept(
            [
                message("n-1", "u-1", in: "c-9"), message("n-2", "newcomer", in: "c-9"),
                message("n-3", "newcomer", in: "c-rest"), message("n-4", "u-1", in: "c-rest"),
            ],
            store,
            start.incarnation,
            &ids
        )
        let accepted = results.map { result -> Int64? in
            if case .accepted(let event) = result { event.sequence } else { nil }
        }
        #expect(accepted == [4, 1, 1, 8])
        #expect(try await sequences(store, "newcomer", "c-9") == [1])
        #expect(try await store.unread(brand: Self.brand, consumer: ConsumerID(trusted: "u-1")).total == unread + 2)
        await store.close()
        #expect(try engine.miscounted() == [])
        #expect(try engine.brokenChains() == [])
        // No number is given again.
        let sql = "SELECT min(key) FROM conversations WHERE id = 'c-9' AND consumer <> 1 AND brand = 1"
        #expect(try #require(try value(sql, as: Int64.self)) > 900)
    }
}
