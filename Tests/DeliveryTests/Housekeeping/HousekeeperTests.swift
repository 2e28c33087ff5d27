import Delivery
import Foundation
import GatewayModel
import GatewayStorage
import Logging
import SQLiteStorage
import ServiceLifecycle
import Synchronization
import Telemetry
import Testing

@Suite("The housekeeper on a real database", .timeLimit(.minutes(10)))
struct HousekeeperTests {
    /// A wall clock that stands still, and the host's monotonic clock: a pause is as long as the batch before it.
    private struct Clock: GatewayClock {
        var now: Timestamp
        var monotonicNanoseconds: UInt64 { DispatchTime.now().uptimeNanoseconds }
    }

    /// A log handler that keeps the lines of warnings and above.
    private struct Lines: LogHandler {
        let lines: Log
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.notice
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) {
            lines.append("\(event.message) \(event.metadata?[LogKey.housekeepingKind] ?? "")")
        }
    }

    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        func append(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    private final class Flag: Sendable {
        private let value = Mutex(false)
        func set() { value.withLock { $0 = true } }
        var isSet: Bool { value.withLock { $0 } }
    }

    /// A store with data of long ago: 4,000 messages in 40 conversations, each delivered to one device, and 500 more whose
    /// deliveries wait.
    private final class Fixture {
        static let old = Timestamp(milliseconds: 1_767_323_045_678)
        static let now = old.adding(seconds: 100 * 86_400)
        let core: TestCore
        let store: FaultyStore
        let registry = PrometheusRegistry()
        let log = Log()
        let incarnation: IncarnationID

        init(filled: Bool) async throws {
            core = try TestCore()
            let path = core.folder.appendingPathComponent("test.sqlite").path
            let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            store = FaultyStore(try SQLiteStore.open(path: path, logger: quiet))
            incarnation = try await store.begin(now: Self.old).incarnation
            try await store.base.insertBrand(TestCore.brand, audit: nil)
            _ = try await store.base.putApp(
                StoredApp(brand: TestCore.brand.id, id: TestCore.lane.app, sealedSettings: [], updatedAt: Self.old),
                lanes: [TestCore.lane],
                audit: nil
            )
            if filled { try await fill() }
        }

        private func fill() async throws {
            let lane = try #require(try await store.base.lanes().keys.first)
            var turn = WriterTurn(now: Self.old, incarnation: incarnation)
            turn.changes = (0..<40).map { .register(TestCore.device("d\($0)", consumer: "u\($0)")) }
            _ = try await store.commit(turn)
            for part in 0..<9 {
                var turn = Self.turn(part * 500..<(part + 1) * 500, at: Self.old, incarnation, ttl: 3600)
                if part < 8 { turn.claims = [ClaimRequest(lane: lane, limit: 500)] }
                let rows = try await store.commit(turn).claims.flatMap(\.rows)
                var outcomes = WriterTurn(now: Self.old, incarnation: incarnation)
                outcomes.outcomes = rows.map {
                    OutcomeRecord(
                        delivery: $0.id,
                        registration: $0.registration,
                        response: nil,
                        disposition: .finished(.failed, nil),
                        token: .none
                    )
                }
                _ = try await store.commit(outcomes)
            }
        }

        static func turn(
            _ range: Range<Int>,
            at now: Timestamp,
            _ incarnation: IncarnationID,
            ttl: Int64
        ) -> WriterTurn {
            var generator = MessageIDGenerator()
            var turn = WriterTurn(now: now, incarnation: incarnation)
            let events = range.map { number in
                var event = TestCore.event("e\(number)", consumer: "u\(number % 40)")
                event.ttlSeconds = ttl
                let id = generator.next(at: now.adding(milliseconds: Int64(number)))
                return PostedEvent(event, id)
            }
            turn.accepts = [
                AcceptRequest(brand: TestCore.brand.id, messageTtlSeconds: 60, dedupeHours: 72, events: events)
            ]
            return turn
        }

        func housekeeper(
            _ settings: HousekeepingSettings = HousekeepingSettings(),
            keeper: ClockKeeper? = nil
        ) -> Housekeeper {
            Housekeeper(
                store: store,
                brands: { [TestCore.brand] },
                settings: settings,
                clock: Clock(now: Self.now),
                keeper: keeper,
                metrics: HousekeepingMetrics(factory: registry),
                logger: Logger(label: "test") { [log] _ in Lines(lines: log) }
            )
        }

        func removed(_ kind: HousekeepingLabel) -> Int {
            let name = "switchboard_housekeeping_removed_rows_total{kind=\"\(kind.rawValue)\"} "
            let line = registry.render().split(separator: "\n").first { $0.hasPrefix(name) }
            return line.flatMap { Int($0.dropFirst(name.count)) } ?? 0
        }
    }

    @Test("ten thousand old rows are deleted during commits, and exactly the right ones remain")
    func removesOld() async throws {
        let fixture = try await Fixture(filled: true)
        let (store, incarnation) = (fixture.store, fixture.incarnation)
        // One event at a time, until both passes are done.
        let isThrough = Flag()
        let committed = try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                var count = 0
                while count < 4000, !isThrough.isSet || count < 20 {
                    let number = 10_000 + count
                    let turn = Fixture.turn(number..<number + 1, at: Fixture.now, incarnation, ttl: 86_400)
                    let result = try await store.commit(turn).accepts[0]
                    guard case .accepted = result.first else {
                        Issue.record("\(result)")
                        break
                    }
                    count += 1
                }
                return count
            }
            let housekeeper = fixture.housekeeper()
            await housekeeper.sweepExpired()
            await housekeeper.keepRetention()
            isThrough.set()
            return try await group.reduce(0, +)
        }
        #expect(fixture.removed(.expired) == 500)
        // What had expired is as old as the rest.
        #expect(fixture.removed(.deliveries) == 4500)
        #expect(fixture.removed(.messages) == 4500)
        #expect(fixture.removed(.eventIDs) == 4500)
        #expect(fixture.removed(.sessions) == 0 && fixture.removed(.deletedBrands) == 0)
        var unread: Int64 = 0
        var left = 0
        for number in 0..<40 {
            let consumer = ConsumerID(trusted: "u\(number)")
            unread += try await store.base.unread(brand: TestCore.brand.id, consumer: consumer).total
            left +=
                try await store.base.messages(
                    brand: TestCore.brand.id,
                    consumer: consumer,
                    conversation: nil,
                    afterSequence: 0,
                    after: nil,
                    limit: 5000
                )?.count ?? 0
        }
        #expect(unread == Int64(committed) && left == committed)
        let page = try await store.base.deliveries(DeliveryQuery(brand: TestCore.brand.id, limit: 5000))
        #expect(page.items.count == committed && page.items.allSatisfy { $0.state == .pending })
        #expect(fixture.log.all.isEmpty)
        await store.base.close()
    }

    @Test("while the clock may be wrong nothing is deleted by age, but data of deleted brands is; afterwards all is")
    func clockInDoubt() async throws {
        let fixture = try await Fixture(filled: true)
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let keeper = try await ClockKeeper.open(
            store: fixture.store.base,
            system: Clock(now: Fixture.now),
            logger: quiet
        )
        let housekeeper = fixture.housekeeper(keeper: keeper)
        let doomed = Brand(id: BrandID(trusted: "gone"), name: "", settings: BrandSettings(), createdAt: Fixture.old)
        try await fixture.store.base.insertBrand(doomed, audit: nil)
        _ = try await fixture.store.base.deleteBrand(doomed.id, audit: nil)
        await housekeeper.sweepExpired()
        await housekeeper.keepRetention()
        for kind in HousekeepingLabel.allCases where kind != .deletedBrands { #expect(fixture.removed(kind) == 0) }
        let works = Mutex<Set<String>>([])
        fixture.store.judgeHousekeeping { (batch) throws(StorageError) in
            works.withLock { _ = $0.insert("\(batch.work)") }
        }
        await housekeeper.sweepExpired()
        await housekeeper.removeErased()
        await housekeeper.endDeletedApps()
        await housekeeper.keepRetention()
        #expect(works.withLock { $0 } == ["erasures", "deletedApps", "deletedBrands"])
        fixture.store.judgeHousekeeping(nil)
        let audit = AuditEntry(brand: nil, at: Fixture.now, actor: .admin, action: .clockAccepted, target: "now")
        #expect(try await keeper.accept(audit))
        await housekeeper.sweepExpired()
        await housekeeper.keepRetention()
        #expect(fixture.removed(.expired) == 500 && fixture.removed(.messages) == 4500)
        #expect(fixture.removed(.deliveries) == 4500 && fixture.removed(.eventIDs) == 4500)
        await fixture.store.base.close()
    }

    @Test("a failure is logged once, retried at the next pass, and its end is logged")
    func faults() async throws {
        let fixture = try await Fixture(filled: true)
        let housekeeper = fixture.housekeeper()
        fixture.store.judgeHousekeeping { batch throws(StorageError) in
            if case .messages = batch.work { throw .full(detail: "no room") }
        }
        for _ in 0..<3 { await housekeeper.keepRetention() }
        #expect(fixture.log.all == ["housekeeping failed; trying again at the next pass messages"])
        #expect(fixture.removed(.deliveries) == 4000 && fixture.removed(.messages) == 0)
        fixture.store.judgeHousekeeping(nil)
        await housekeeper.keepRetention()
        #expect(fixture.log.all.dropFirst() == ["housekeeping works again messages"])
        // The waiting deliveries have not been swept: their messages stay.
        #expect(fixture.removed(.messages) == 4000)
        await fixture.store.base.close()
    }

    @Test("it runs every kind of work by itself, and stops at once on shutdown")
    func runsAndStops() async throws {
        let fixture = try await Fixture(filled: false)
        var settings = HousekeepingSettings()
        settings.expiredInterval = .milliseconds(1)
        settings.interval = .milliseconds(1)
        let housekeeper = fixture.housekeeper(settings)
        let (batches, batch) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1000))
        fixture.store.judgeHousekeeping { (housekeeping) throws(StorageError) in
            batch.yield(String(String(describing: housekeeping.work).prefix { $0 != "(" }))
        }
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let group = ServiceGroup(configuration: .init(services: [.init(service: housekeeper)], logger: quiet))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let works = [
                "expired", "erasures", "deletedApps", "deletedBrands", "eventIDs", "sessions", "deliveries", "messages",
                "conversations",
                "campaigns", "outbound", "audit",
            ]
            var seen: [String: Int] = [:]
            for await work in batches {
                seen[work, default: 0] += 1
                if works.allSatisfy({ seen[$0, default: 0] > 1 }) { break }
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        await fixture.store.base.close()
        #expect(fixture.log.all.isEmpty)
    }

    @Test("a stop does not wait for the end of a pass")
    func stopsInPass() async throws {
        let fixture = try await Fixture(filled: true)
        var settings = HousekeepingSettings()
        settings.expiredInterval = .milliseconds(1)
        settings.interval = .seconds(3600)
        settings.batchSize = HousekeepingBatchSize(limit: 1)
        let housekeeper = fixture.housekeeper(settings)
        let (batches, batch) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        fixture.store.judgeHousekeeping { (_) throws(StorageError) in batch.yield() }
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let group = ServiceGroup(configuration: .init(services: [.init(service: housekeeper)], logger: quiet))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await _ in batches { break }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        #expect(fixture.removed(.messages) < 4000)
        // No batch is half done: the rest is deleted by the passes of the next process.
        let next = fixture.housekeeper()
        await next.sweepExpired()
        await next.keepRetention()
        #expect(fixture.removed(.messages) == 4500)
        await fixture.store.base.close()
    }
}
