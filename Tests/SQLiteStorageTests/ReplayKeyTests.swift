import GRDB
import GatewayModel
import GatewayStorage
import SQLStorage
import Testing

@testable import SQLiteStorage
@testable import TurnRules

@Suite("The stored key of an event id", .timeLimit(.minutes(10)))
struct ReplayKeyTests {
    private static let id = "0190f3c2-7f0e-7cc0-8000-3b2a73afe97c"

    private static func key(_ id: String, of consumer: String, source: String = "") -> EventKey {
        var event = AgentEvent(
            id: EventID(trusted: id),
            type: .agentMessage,
            consumer: ConsumerID(trusted: consumer)
        )
        event.source = source
        return EventKey(event, of: nil, brand: 1, at: Timestamp(milliseconds: 86_400_000))
    }

    @Test("an event's key is stored as 16 bytes, which no other event has; one that is found by a prefix is unchanged")
    func short() {
        let keys = [
            Self.key(Self.id, of: "u-1"), Self.key(Self.id + "-", of: "u-1"), Self.key(Self.id, of: "u-2"),
            Self.key("1", of: "u"), Self.key("1", of: "1", source: "u"), Self.key("1", of: "u", source: "1"),
            Self.key("u", of: "1"), Self.key("1u", of: "1"), Self.key("1", of: "1u"),
        ]
        let hashes = keys.map { Replay($0, of: $0.consumer).hash }
        #expect(hashes.allSatisfy { $0?.count == 16 } && Set(hashes).count == keys.count)
        let request = ClientRequest(brand: 1, consumer: 1, id: ClientID(trusted: Self.id), day: 1)
        #expect(Replay(request).hash == nil)
        // As the earlier version stored them: for whatever consumer, and only long ones hashed.
        #expect(Replay(byBrand: keys[0]).hash == Replay(byBrand: keys[2]).hash && Replay(byBrand: keys[3]).hash == nil)
        let named = Self.key("1", of: "u", source: Self.id)
        #expect(Replay(byBrand: named).hash != Replay(Self.key("1", of: Self.id), of: Self.id).hash)
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
                sql: "INSERT INTO dedupe (day, brand, event, body_hash) SELECT ?, key, ?, 5 FROM brands",
                arguments: [day, Self.id]
            )
            for table in ["dedupe_text_days", "dedupe_brand_buckets", "dedupe_unnumbered_buckets"] {
                try db.execute(sql: "INSERT INTO \(table) VALUES (?)", arguments: [day])
            }
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
