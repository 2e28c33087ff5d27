import GRDB
import GatewayModel
import GatewayStorage
import Testing

@testable import SQLiteStorage

@Suite("The stored key of an event id", .timeLimit(.minutes(10)))
struct ReplayKeyTests {
    private static let id = "0190f3c2-7f0e-7cc0-8000-3b2a73afe97c"

    @Test("a long key is stored as 16 bytes; a short one and one that is found by a prefix are stored unchanged")
    func short() {
        let long = Replay(key: Self.id, brand: 1, day: 1, isHashed: true)
        #expect(long.hash?.count == 16)
        #expect(long.hash != Replay(key: Self.id + "-", brand: 1, day: 1, isHashed: true).hash)
        #expect(Replay(key: "evt-1", brand: 1, day: 1, isHashed: true).hash == nil)
        #expect(Replay(key: Self.id, brand: 1, day: 1, isHashed: false).hash == nil)
    }

    @Test("an event that the earlier version accepted is known, whatever its day", arguments: [0, 1] as [Int64])
    func earlierVersion(daysAgo: Int64) async throws {
        let engine = try SQLiteEngine()
        let store = try engine.openSQLite()
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        let brand = BrandID(trusted: "acme")
        try await store.insertBrand(
            Brand(id: brand, name: "Acme", settings: BrandSettings(), createdAt: now),
            audit: nil
        )
        let day = now.milliseconds / 86_400_000 - daysAgo
        try await store.pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO dedupe (day, brand, event, body_hash) SELECT ?, key, ?, 5 FROM brands;
                    INSERT INTO dedupe_text_days VALUES (?);
                    """,
                arguments: [day, Self.id, day]
            )
        }
        let start = try await store.begin(now: now)
        var ids = MessageIDGenerator()
        var event = AgentEvent(id: EventID(trusted: Self.id), type: .agentMessage, consumer: ConsumerID(trusted: "u-1"))
        event.text = "Your order has shipped"
        event.bodyHash = 5
        var other = event
        other.id = EventID(trusted: Self.id + "-other")
        var turn = WriterTurn(now: now, incarnation: start.incarnation)
        turn.accepts = [
            AcceptRequest(
                brand: brand,
                messageTtlSeconds: 60,
                dedupeHours: 72,
                events: [event, other, other].map { PostedEvent($0, ids.next(at: now)) }
            )
        ]
        let results = try await store.commit(turn).accepts.flatMap { $0 }
        let areDuplicates = results.map { if case .duplicate = $0 { true } else { false } }
        #expect(areDuplicates == [true, false, true])
        await store.close()
        withExtendedLifetime(engine) {}
    }
}
