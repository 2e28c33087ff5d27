import Dispatch
import GRDB
import GatewayModel
import GatewayStorage
import SQLStorage
import Synchronization
import Testing

@testable import SQLiteStorage

@Suite("A turn of a task that prefers an executor", .timeLimit(.minutes(10)))
struct BlockingCommitTests {
    /// Runs jobs one after the other, and counts them.
    private final class CountingQueue: TaskExecutor {
        private let queue = DispatchQueue(label: "test")
        private let count = Mutex(0)

        var jobs: Int { count.withLock { $0 } }

        func enqueue(_ job: consuming ExecutorJob) {
            count.withLock { $0 += 1 }
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    private let brand = BrandID(trusted: "acme")
    private let now = Timestamp(milliseconds: 1_767_323_045_678)

    /// Returns a turn with as many messages for one device, whose rows it takes.
    private func turn(messages: Int, _ store: SQLiteStore) async throws -> WriterTurn {
        let app = AppID(trusted: "shop")
        let settings = BrandSettings()
        try await store.insertBrand(Brand(id: brand, name: "Acme", settings: settings, createdAt: now), audit: nil)
        _ = try await store.putApp(
            StoredApp(brand: brand, id: app, sealedSettings: [1, 2, 3], updatedAt: now),
            lanes: [LaneKey(brand: brand, app: app, pushType: .apns, environment: .production)],
            audit: nil
        )
        let lane = try #require(try await store.lanes().keys.first)
        let consumer = ConsumerID(trusted: "u-1")
        var turn = WriterTurn(now: now, incarnation: try await store.begin(now: now).incarnation)
        turn.budgets = [lane: LaneBudget(slots: messages, mayHaveBacklog: false)]
        turn.changes = [
            .register(
                DeviceToRegister(
                    brand: brand,
                    app: app,
                    device: DeviceID(trusted: "d-1"),
                    consumer: consumer,
                    token: "token",
                    pushType: .apns,
                    environment: .production,
                    platform: .ios,
                    receives: .all
                )
            )
        ]
        let events = (0..<messages).map { number in
            var event = AgentEvent(id: EventID(trusted: "e-\(number)"), type: .agentMessage, consumer: consumer)
            event.text = "text"
            return PostedEvent(event, MessageID(high: UInt64(number) + 1, low: 1))
        }
        turn.accepts = [AcceptRequest(brand: brand, messageTtlSeconds: 86_400, dedupeHours: 72, events: events)]
        return turn
    }

    private func outcome(of row: OutboxRow) -> OutcomeRecord {
        OutcomeRecord(
            delivery: row.id,
            registration: row.registration,
            response: PushResponse(
                outcome: .accepted(providerID: "id"),
                status: 200,
                reason: nil,
                badge: nil,
                sentAt: now,
                latencyMilliseconds: 1
            ),
            disposition: .finished(.accepted, nil),
            token: .none
        )
    }

    @Test("is committed on that one's thread, and the delivery log is indexed behind it")
    func staysOnItsThread() async throws {
        // Its directory goes with it.
        let engine = try SQLiteEngine()
        defer { withExtendedLifetime(engine) {} }
        let store = try engine.openSQLite()
        let messages = Writer.indexingSize + 8
        let turn = try await turn(messages: messages, store)
        let queue = CountingQueue()
        try await withTaskExecutorPreference(queue) {
            let before = queue.jobs
            let owned = try await store.commit(turn).owned
            #expect(owned.count == messages)
            var results = WriterTurn(now: now, incarnation: turn.incarnation)
            results.outcomes = owned.map { outcome(of: $0) }
            _ = try await store.commit(results)
            // A task that leaves its thread returns by another job.
            #expect(queue.jobs == before)
        }
        // The writer's queue is in order.
        try await store.probeWriting()
        let counts = try await store.pool.read {
            try Int.fetchAll($0, sql: "SELECT count(*) FROM delivery_log GROUP BY indexed ORDER BY indexed")
        }
        #expect(counts == [messages])
        let indexed = try await store.pool.read { try Int.fetchOne($0, sql: "SELECT min(indexed) FROM delivery_log") }
        #expect(indexed == 1)
        await store.close()
        // As from every other task.
        await #expect(throws: StorageError.closed) {
            try await withTaskExecutorPreference(queue) { _ = try await store.commit(turn) }
        }
    }
}
