import GRDB
import GatewayModel
import GatewayStorage
import SQLStorage
import StorageContract
import Testing

@testable import SQLiteStorage

@Suite("A full disk", .timeLimit(.minutes(10)))
struct FullDiskTests {
    private let brand = BrandID(trusted: "acme")

    /// Limits the pages, which has the effect of a full disk for every user and on every file system.
    private func limit(_ store: SQLiteStore, pages: Int) async throws {
        try await store.pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
    }

    private func turn(_ incarnation: IncarnationID, _ range: Range<Int>) -> WriterTurn {
        let now = Timestamp(milliseconds: 1_767_323_045_678)
        var generator = MessageIDGenerator()
        var turn = WriterTurn(now: now, incarnation: incarnation)
        let events = range.map { number in
            var event = AgentEvent(
                id: EventID(trusted: "evt-\(number)"),
                type: .agentMessage,
                consumer: ConsumerID(trusted: "u-\(number)")
            )
            event.conversation = ConversationID(trusted: "c-\(number)")
            event.text = String(repeating: "word ", count: 400)
            return PostedEvent(event, generator.next(at: now.adding(milliseconds: Int64(number))))
        }
        turn.accepts = [AcceptRequest(brand: brand, messageTtlSeconds: 60, dedupeHours: 72, events: events)]
        return turn
    }

    @Test("is reported, leaves nothing of the turn, and is transient")
    func fullAndBack() async throws {
        let engine = try SQLiteEngine()
        let store = try engine.openSQLite()
        let incarnation = try await store.begin(now: Timestamp(milliseconds: 1)).incarnation
        try await store.insertBrand(
            Brand(id: brand, name: "Acme", settings: BrandSettings(), createdAt: Timestamp(milliseconds: 1)),
            audit: nil
        )
        _ = try await store.commit(turn(incarnation, 0..<10))
        let pages = try await store.pool.writeWithoutTransaction { db in
            try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        }
        try await limit(store, pages: pages + 8)
        for _ in 0..<2 {
            await #expect {
                try await store.commit(turn(incarnation, 5..<200))
            } throws: { error in
                guard case .full = error as? StorageError else { return false }
                return true
            }
        }
        #expect(try await store.consumer(brand: brand, id: ConsumerID(trusted: "u-10")) == nil)
        #expect(try await store.unread(brand: brand, consumer: ConsumerID(trusted: "u-5")).total == 1)
        try await store.probe()

        try await limit(store, pages: pages + 10_000)
        let results = try await store.commit(turn(incarnation, 5..<200)).accepts[0]
        let duplicates = results.count { if case .duplicate = $0 { true } else { false } }
        let accepted = results.count { if case .accepted = $0 { true } else { false } }
        #expect(duplicates == 5 && accepted == 190)
        await store.close()
        withExtendedLifetime(engine) {}
    }
}
