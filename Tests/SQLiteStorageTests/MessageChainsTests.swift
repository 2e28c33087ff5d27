import GRDB
import GatewayModel
import GatewayStorage
import SQLStorage
import Testing
import TurnRules

@testable import SQLiteStorage

@Suite("The chain of a conversation's messages", .timeLimit(.minutes(10)))
struct MessageChainsTests {
    @Test("a walk to any message of a long conversation visits at most 63 others, also where places were removed")
    func near() async throws {
        let engine = try SQLiteEngine()
        let store = try engine.openSQLite()
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        let brand = BrandID(trusted: "acme")
        let incarnation = try await store.begin(now: now).incarnation
        try await store.insertBrand(
            Brand(id: brand, name: "Acme", settings: BrandSettings(), createdAt: now),
            audit: nil
        )
        var ids = MessageIDGenerator()
        let events = (1...1000).map { number in
            var event = AgentEvent(
                id: EventID(trusted: "e-\(number)"),
                type: .agentMessage,
                consumer: ConsumerID(trusted: "u-1")
            )
            event.conversation = ConversationID(trusted: "c-1")
            event.text = "text"
            return PostedEvent(event, ids.next(at: now))
        }
        var turn = WriterTurn(now: now, incarnation: incarnation)
        turn.accepts = [AcceptRequest(brand: brand, messageTtlSeconds: 60, dedupeHours: 72, events: events)]
        _ = try await store.commit(turn)
        #expect(try await sequencesFarOff(store) == [])
        // The places, then those that replaced them, then a whole stretch, and the oldest messages.
        for removed in ["sequence % 64 = 0", "sequence % 64 = 1", "sequence / 64 = 5", "sequence < 100"] {
            let keys = try await store.read { db in
                try Int64.fetchAll(db, sql: "SELECT key FROM messages WHERE \(removed) ORDER BY key")
            }
            let count = try await store.write { try $0.removeMessages(keys, mark: nil) }
            #expect(count == keys.count && count > 0)
            #expect(try await sequencesFarOff(store) == [], "\(removed)")
        }
        await store.close()
        #expect(try engine.brokenChains() == [])
    }

    /// Returns the sequences that a walk reaches only after more than 63 later messages, or that it passes.
    private func sequencesFarOff(_ store: SQLiteStore) async throws -> [Int64] {
        try await store.read { db in
            let chains = try MessageChains(db)
            let head = try db.prepare(once: "SELECT conversation, last_message FROM conversation_heads").first {
                try ($0.value(0) as Int64, $0.value(1) as Int64)
            }
            let (conversation, last) = try #require(head)
            return try Int64.fetchAll(db, sql: "SELECT sequence FROM messages ORDER BY key").filter { sequence in
                let key = try chains.place(after: sequence - 1, in: conversation)?.message ?? last
                var later = 0
                var isFound = false
                try chains.visit(from: key, in: conversation) { link in
                    isFound = link.sequence == sequence
                    if link.sequence > sequence { later += 1 }
                    return link.sequence > sequence
                }
                return !isFound || later > 63
            }
        }
    }

    @Test("a chain that leads around in a circle, as damage may leave it, ends")
    func circle() async throws {
        let engine = try SQLiteEngine()
        let store = try engine.openSQLite()
        let visited = try await store.pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO messages (key, low, conversation, sequence, counts, kind, text, priority, silent, accepted_at,
                    sent_at, expires_at, previous) SELECT value, 1, 1, value, 1, 'agent', 'text', 'high', 0, 0, 0, 0,
                    iif(value = 1, 3, value - 1) FROM json_each('[1, 2, 3]')
                    """
            )
            var visited: [Int64] = []
            try MessageChains(ReadConnection(db)).visit(from: 3, in: 1) { link in
                visited.append(link.sequence)
                return true
            }
            return visited
        }
        #expect(visited == [3, 2, 1])
        await store.close()
        withExtendedLifetime(engine) {}
    }
}
