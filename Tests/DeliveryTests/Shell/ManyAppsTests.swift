import Delivery
import GatewayModel
import GatewayStorage
import PushProviders
import Synchronization
import Testing

@Suite("The delivery core with a thousand apps of a brand", .timeLimit(.minutes(10)))
struct ManyAppsTests {
    private static let apps = 1000

    private static func device(_ app: Int) -> DeviceToRegister {
        var device = TestCore.device("d\(app)", consumer: "u\(app)")
        device.app = AppID(trusted: "app-\(app)")
        return device
    }

    /// A record of the writer's turns.
    private final class Turns: Sendable {
        private let looks = Mutex<[Int]>([])
        private let outcomes = AsyncStream<Int>.makeStream(bufferingPolicy: .bufferingOldest(2 * ManyAppsTests.apps))

        func add(_ turn: WriterTurn) {
            looks.withLock { $0.append(max(turn.budgets.ownCount, turn.claims.count)) }
            outcomes.continuation.yield(turn.outcomes.count)
        }

        /// Returns the number of lanes that each turn looked at, since the last call.
        func takeLooks() -> [Int] {
            looks.withLock { looks in
                defer { looks = [] }
                return looks
            }
        }

        /// Waits until a turn stores the last of this many outcomes.
        func wait(forOutcomes count: Int) async {
            var left = count
            for await some in outcomes.stream {
                left -= some
                if left <= 0 { return }
            }
        }
    }

    @Test("an unused lane has no provider and costs turns nothing, and each of them can send a push")
    func idle() async throws {
        let isResponding = Atomic(true)
        let core = try TestCore { _ in isResponding.load(ordering: .relaxed) ? .accepted(providerID: nil) : nil }
        try await core.run { service, store in
            for app in 0..<Self.apps {
                let id = AppID(trusted: "app-\(app)")
                let key = LaneKey(brand: TestCore.brand.id, app: id, pushType: .apns, environment: .production)
                let time = TestCore.brand.createdAt
                let stored = StoredApp(brand: key.brand, id: id, sealedSettings: [], updatedAt: time)
                _ = try await store.base.putApp(stored, lanes: [key], audit: nil)
            }
            let turns = Turns()
            store.judgeCommits { turns.add($0) }

            // Never used.
            _ = try await service.perform(.register(Self.device(617)))
            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("a", consumer: "u617")])
            let one = await core.provider()
            #expect(await one.taken(1).map(\.token) == ["token-of-d617"])
            await turns.wait(forOutcomes: 1)
            #expect(core.providers.count == 1)
            #expect(turns.takeLooks().allSatisfy { $0 <= 1 })

            // All used at once, so that turns look at them.
            for app in 0..<Self.apps { _ = try await service.perform(.register(Self.device(app))) }
            isResponding.store(false, ordering: .relaxed)
            let events = (0..<Self.apps).map { TestCore.event("b\($0)", consumer: "u\($0)") }
            _ = try await service.accept(brand: TestCore.brand, events: events)
            #expect(await one.taken(2).count == 2)
            while core.providers.count < Self.apps { await Task.yield() }
            for provider in core.providers where provider !== one { _ = await provider.taken(1) }
            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("c", consumer: "u617")])
            #expect(turns.takeLooks().max() == Self.apps)

            // Then all idle again.
            isResponding.store(true, ordering: .relaxed)
            for provider in core.providers { provider.respondToAll(.accepted(providerID: nil)) }
            await turns.wait(forOutcomes: Self.apps + 1)
            await service.settle()
            _ = turns.takeLooks()
            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("d", consumer: "u617")])
            #expect(await one.taken(4).last?.badge == 4)
            await turns.wait(forOutcomes: 1)
            #expect(turns.takeLooks().allSatisfy { $0 <= 1 })
            #expect(core.providers.allSatisfy { $0.takenCount == ($0 === one ? 4 : 1) })
        }
    }
}
