import GRDB
import GatewayModel
import GatewayStorage
import SQLStorage
import Testing

@testable import SQLiteStorage

@Suite("The counters of a conversation", .timeLimit(.minutes(10)))
struct CountersTests {
    private let brand = BrandID(trusted: "acme")
    private let consumer = ConsumerID(trusted: "u-1")
    private let start = Timestamp(milliseconds: 1_800_000_000_000)

    private func event(_ number: Int, silent: Bool = false) -> AgentEvent {
        var event = AgentEvent(id: EventID(trusted: "e-\(number)"), type: .agentMessage, consumer: consumer)
        event.conversation = ConversationID(trusted: "c-1")
        event.text = "text"
        event.silent = silent
        return event
    }

    private func accept(_ event: AgentEvent, _ store: SQLiteStore, at now: Timestamp) async throws {
        var ids = MessageIDGenerator()
        // Not before any start of the test.
        var turn = WriterTurn(now: now, incarnation: IncarnationID(99))
        turn.accepts = [
            AcceptRequest(
                brand: brand,
                messageTtlSeconds: 60,
                dedupeHours: 72,
                events: [PostedEvent(event, ids.next(at: now))]
            )
        ]
        guard case .accepted? = try await store.commit(turn).accepts.first?.first else {
            Issue.record("\(event.id) is not accepted")
            return
        }
    }

    private func check(_ store: SQLiteStore, last: Int64, read: Int64, unread: Int64) async throws {
        let counts = try await store.unread(brand: brand, consumer: consumer)
        #expect(counts.total == unread && counts.conversations.map(\.unread) == [unread])
        #expect(counts.conversations.map(\.lastSequence) == [last])
        #expect(counts.conversations.map(\.readSequence) == [read])
        #expect(try await store.consumer(brand: brand, id: consumer)?.unread == unread)
        let listed = try await store.conversations(brand: brand, consumer: consumer, after: nil, limit: 10)
        #expect(listed?.map(\.unread.unread) == [unread] && listed?.map(\.unread.lastSequence) == [last])
    }

    private func writes(_ store: SQLiteStore) async throws -> Int? {
        try await store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM written") }
    }

    @Test("are right after each message, though conversations are written only when more changes, across restarts too")
    func counted() async throws {
        let engine = try SQLiteEngine()
        var store = try engine.openSQLite()
        _ = try await store.begin(now: start)
        try await store.insertBrand(
            Brand(id: brand, name: "Acme", settings: BrandSettings(), createdAt: start),
            audit: nil
        )
        try await store.pool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE written (number INTEGER PRIMARY KEY);
                    CREATE TRIGGER conversations_written AFTER UPDATE ON conversations BEGIN
                    INSERT INTO written (number) VALUES (NULL); END
                    """
            )
        }
        func time(_ number: Int) -> Timestamp { start.adding(seconds: Int64(number)) }
        for number in 1...100 {
            try await accept(event(number, silent: number % 10 == 0), store, at: time(number))
            let last = Int64(number)
            try await check(store, last: last, read: 0, unread: last - last / 10)
            guard number % 40 == 7 else { continue }
            await store.close()
            store = try engine.openSQLite()
            _ = try await store.begin(now: time(number))
        }
        // Once when something is unread.
        #expect(try await writes(store) == 1)
        var turn = WriterTurn(now: time(101), incarnation: IncarnationID(99))
        turn.changes = [
            .read(
                ReadRequest(
                    brand: brand,
                    consumer: consumer,
                    conversation: ConversationID(trusted: "c-1"),
                    target: .sequence(5),
                    device: nil
                )
            )
        ]
        _ = try await store.commit(turn)
        try await check(store, last: 100, read: 5, unread: 85)
        #expect(try await writes(store) == 2)
        try await accept(event(101), store, at: time(102))
        try await check(store, last: 101, read: 5, unread: 86)
        #expect(try await writes(store) == 2)

        // Messages are removed, and at last all of them.
        for (before, unread) in [(51, 46), (103, 0)] as [(Int, Int64)] {
            let old = [brand: time(before)]
            var batch = HousekeepingBatch(work: .messages(before: old), now: time(200), limit: 7)
            repeat { batch.position = try await store.runHousekeeping(batch).next } while batch.position != nil
            try await check(store, last: 101, read: 5, unread: unread)
        }
        await store.close()
        store = try engine.openSQLite()
        _ = try await store.begin(now: time(300))
        try await check(store, last: 101, read: 5, unread: 0)
        try await accept(event(102), store, at: time(301))
        try await check(store, last: 102, read: 5, unread: 1)
        await store.close()
        withExtendedLifetime(engine) {}
    }
}
