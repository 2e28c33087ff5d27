import Delivery
import GatewayModel
import GatewayStorage
import Logging
import Synchronization
import Telemetry
import TestSupport
import Testing

@Suite("Sightings of devices, and stale devices", .timeLimit(.minutes(10)))
struct SightingTests {
    private static let user = ConsumerName(brand: TestCore.brand.id, consumer: ConsumerID(trusted: "u1"))

    private static func sighting(_ device: String) -> DeviceSighting {
        DeviceSighting(consumer: user, device: DeviceID(trusted: device))
    }

    /// A record of the sightings that turns store.
    private final class Noted: Sendable {
        let all = Mutex<[DeviceSighting]>([])
    }

    @Test("a turn stores each sighting, also of a window that opened")
    func noted() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            let noted = Noted()
            store.judgeCommits { turn throws(StorageError) in noted.all.withLock { $0 += turn.seen } }
            service.seen(Self.sighting("d1"))
            service.windowOpened(Self.user, device: DeviceID(trusted: "d2"))
            service.windowOpened(Self.user, device: nil)
            // Is committed in a turn with them, or after it.
            _ = try await service.perform(.register(TestCore.device("d1")))
            let seen = noted.all.withLock { Set($0) }
            #expect(seen == [Self.sighting("d1"), Self.sighting("d2")])
        }
    }

    @Test("a failed store gets none, and stores those that come after it works again")
    func failing() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            let fault = StorageError.full(detail: "for this test")
            store.judgeCommits { _ throws(StorageError) in throw fault }
            store.failProbes(fault)
            await #expect(throws: IntakeError.self) {
                _ = try await service.perform(.register(TestCore.device("d1")))
            }
            for number in 0..<100 { service.seen(Self.sighting("x\(number)")) }
            let noted = Noted()
            store.judgeCommits { turn throws(StorageError) in noted.all.withLock { $0 += turn.seen } }
            store.failProbes(nil)
            while !service.health.isAccepting { await Task.yield() }
            service.seen(Self.sighting("d1"))
            _ = try await service.perform(.register(TestCore.device("d2")))
            let seen = noted.all.withLock { $0 }
            #expect(seen == [Self.sighting("d1")])
        }
    }

    @Test("a stale registration ends in a turn of the core, which no longer sends its waiting rows")
    func stale() async throws {
        let core = try TestCore { _ in .retry(afterSeconds: 3600, scope: .device) }
        try await core.run { service, store in
            for number in 1...150 {
                _ = try await service.perform(.register(TestCore.device("d\(number)", consumer: "u\(number % 2)")))
            }
            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e1")])
            let registry = PrometheusRegistry()
            let now = SystemClock().now
            func keep(days: Int64) async {
                let housekeeper = Housekeeper(
                    store: store,
                    delivery: service,
                    brands: { [TestCore.brand] },
                    settings: HousekeepingSettings(),
                    clock: TestClock(now: now.adding(seconds: days * 86_400)),
                    metrics: HousekeepingMetrics(factory: registry),
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
                )
                await housekeeper.keepRetention()
            }
            func left() async throws -> Int {
                try await store.base.registrations(brand: TestCore.brand.id, consumer: Self.user.consumer).count
            }
            await keep(days: 269)
            #expect(try await left() == 75)
            await keep(days: 271)
            #expect(try await left() == 0)
            let line = #"switchboard_housekeeping_removed_rows_total{kind="stale_devices"} 150"#
            #expect(registry.render().contains(line))
            let again = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e2")])
            #expect(again.count == 1)
            let unfinished = try await store.base.allDeliveries().filter { $0.suppressedBy != .unregistered }
            #expect(unfinished.isEmpty)
        }
    }
}
