import GRDB
import GatewayModel
import GatewayStorage
import SQLStorage
import StorageContract
import Testing

@testable import SQLiteStorage

@Suite("A start in quiet hours", .timeLimit(.minutes(10)))
struct QuietStartTests {
    private let brand = BrandID(trusted: "acme")
    private let app = AppID(trusted: "shop")
    private let now = Timestamp(milliseconds: 1_767_323_045_678)

    /// Forty devices whose rows wait for the end of quiet hours.
    private func fill(_ store: SQLiteStore, until night: Timestamp) async throws {
        try await store.insertBrand(
            Brand(id: brand, name: "Acme", settings: BrandSettings(), createdAt: now),
            audit: nil
        )
        _ = try await store.putApp(
            StoredApp(brand: brand, id: app, sealedSettings: [1, 2, 3], updatedAt: now),
            lanes: [LaneKey(brand: brand, app: app, pushType: .apns, environment: .production)],
            audit: nil
        )
        let lane = try #require(try await store.lanes().keys.first)
        var turn = WriterTurn(now: now, incarnation: try await store.begin(now: now).incarnation)
        turn.budgets = [lane: LaneBudget(slots: 100, mayHaveBacklog: false)]
        turn.changes = (0..<40).map { number in
            .register(
                DeviceToRegister(
                    brand: brand,
                    app: app,
                    device: DeviceID(trusted: "d-\(number)"),
                    consumer: ConsumerID(trusted: "u-\(number)"),
                    token: "token-\(number)",
                    pushType: .apns,
                    environment: .production,
                    platform: .ios,
                    receives: .all
                )
            )
        }
        let events = (0..<40).map { number in
            var event = AgentEvent(
                id: EventID(trusted: "e-\(number)"),
                type: .agentMessage,
                consumer: ConsumerID(trusted: "u-\(number)")
            )
            event.text = "text"
            return PostedEvent(event, MessageID(high: UInt64(number) + 1, low: 1))
        }
        turn.accepts = [AcceptRequest(brand: brand, messageTtlSeconds: 86_400, dedupeHours: 72, events: events)]
        let owned = try await store.commit(turn).owned
        #expect(owned.count == 40)
        var release = WriterTurn(now: now, incarnation: turn.incarnation)
        release.outcomes = owned.map {
            OutcomeRecord(
                delivery: $0.id,
                registration: $0.registration,
                response: nil,
                disposition: .release(due: night),
                token: .none
            )
        }
        _ = try await store.commit(release)
    }

    @Test("writes none of the rows that wait for their end")
    func writesNothing() async throws {
        let engine = try SQLiteEngine()
        let night = now.adding(seconds: 3600)
        let store = try engine.openSQLite()
        try await fill(store, until: night)
        try await store.pool.write { db in
            for table in ["outbox", "waiting"] {
                for change in ["INSERT", "UPDATE", "DELETE"] {
                    try db.execute(
                        sql: """
                            CREATE TRIGGER \(table)_\(change) BEFORE \(change) ON \(table) BEGIN
                            SELECT RAISE(ABORT, 'written'); END
                            """
                    )
                }
            }
        }
        await store.close()
        let next = try engine.openSQLite()
        let start = try await next.begin(now: now.adding(seconds: 60)) { _, _ in night }
        #expect(start.backlog.values.map(\.self) == [night] && start.recovered == 0)
        // Without quiet hours they are due, which shows whether they are written.
        await #expect(throws: StorageError.self) { try await next.begin(now: now.adding(seconds: 60)) }
        await next.close()
    }
}
