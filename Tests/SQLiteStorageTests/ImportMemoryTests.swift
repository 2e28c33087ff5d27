import GatewayModel
import GatewayStorage
import SQLStorage
import Testing
import TurnRules

@testable import SQLiteStorage

@Suite("The writer's memory while devices are imported", .timeLimit(.minutes(10)))
struct ImportMemoryTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)
    private static let brand = BrandID(trusted: "acme")
    private static let app = AppID(trusted: "shop")

    private static func device(_ number: Int, of consumer: String? = nil) -> StoreChange {
        var device = DeviceToRegister(
            brand: brand,
            app: app,
            device: DeviceID(trusted: "d-\(number)"),
            consumer: ConsumerID(trusted: consumer ?? "u-\(number)"),
            token: "token-\(number)",
            pushType: .apns,
            environment: .production,
            platform: .ios,
            receives: .all
        )
        device.isImported = true
        return .register(device)
    }

    /// Runs a turn at a second, and returns the consumers in memory and the upper bound of the page cache.
    private static func turn(
        _ store: SQLiteStore,
        at second: Int64,
        _ changes: [StoreChange] = [],
        events: [AgentEvent] = []
    ) async throws -> (known: [String], kilobytes: Int64) {
        let now = start.adding(seconds: second)
        var ids = MessageIDGenerator()
        // Not before any start of the test.
        var turn = WriterTurn(now: now, incarnation: IncarnationID(99))
        turn.changes = changes
        turn.accepts = [
            AcceptRequest(
                brand: brand,
                messageTtlSeconds: 60,
                dedupeHours: 72,
                events: events.map { PostedEvent($0, ids.next(at: now)) }
            )
        ]
        let result = try await store.commit(turn)
        for change in result.changes { if case .registered = change {} else { Issue.record("\(change)") } }
        return try await store.write { writer in
            let names = (1...3).map { "u-\($0)" }
            let key = try writer.brandKey(brand) ?? 0
            let known = names.filter { writer.memory.consumers.peek(BrandedName(brand: key, id: $0)) != nil }
            return (known, -(try writer.db.prepare("PRAGMA cache_size").integer() ?? 0))
        }
    }

    @Test("imported consumers are not kept in it, and the page cache does not grow until the import is over")
    func bounded() async throws {
        let engine = try SQLiteEngine()
        let store = try engine.openSQLite()
        _ = try await store.begin(now: Self.start)
        let brand = Brand(id: Self.brand, name: "Acme", settings: BrandSettings(), createdAt: Self.start)
        try await store.insertBrand(brand, audit: nil)
        _ = try await store.putApp(
            StoredApp(brand: Self.brand, id: Self.app, sealedSettings: [1], updatedAt: Self.start),
            lanes: [LaneKey(brand: Self.brand, app: Self.app, pushType: .apns, environment: .production)],
            audit: nil
        )
        var event = AgentEvent(
            id: EventID(trusted: "e-1"),
            type: .agentMessage,
            consumer: ConsumerID(trusted: "u-1")
        )
        event.text = "hello"

        let before = try await Self.turn(store, at: 1, events: [event])
        #expect(before.known == ["u-1"] && before.kilobytes == 64_000)
        // The first has an event in memory; the others are new.
        let imported = try await Self.turn(store, at: 2, (1...3).map { Self.device($0) })
        #expect(imported.known == ["u-1"] && imported.kilobytes == 16_000)
        let more = try await Self.turn(store, at: 12, [Self.device(4, of: "u-2")])
        #expect(more.known == ["u-1"] && more.kilobytes == 16_000)
        #expect(try await Self.turn(store, at: 22, events: [event]).kilobytes == 16_000)
        #expect(try await Self.turn(store, at: 23, events: [event]).kilobytes == 64_000)
        #expect(try await Self.turn(store, at: 24, [Self.device(5)]).kilobytes == 16_000)

        // What was imported is pushed to.
        event.id = EventID(trusted: "e-2")
        event.consumer = ConsumerID(trusted: "u-2")
        #expect(try await Self.turn(store, at: 25, events: [event]).known == ["u-1", "u-2"])
        let found = try await store.registrations(brand: Self.brand, consumer: event.consumer)
        #expect(found.map(\.device.rawValue) == ["d-2", "d-4"])
        await store.close()
        withExtendedLifetime(engine) {}
    }

    @Test("what leaves a cache leaves its size")
    func sizes() {
        var cache = GenerationalCache<Int, Int>(limit: 100) { _, value in value }
        for key in 0..<1000 {
            cache.keep(10, for: key)
            cache.remove(key)
        }
        cache.keep(10, for: 1)
        cache.settle()
        cache.keep(40, for: 2)
        cache.settle()
        #expect(cache.peek(1) == 10 && cache.peek(2) == 40)
        cache.keep(50, for: 3)
        cache.settle()
        // Both began a generation together.
        #expect(cache.peek(1) == nil && cache.peek(2) == nil && cache.peek(3) == 50)
    }
}
