import GatewayModel
import GatewayStorage
import PushProviders
import Synchronization
import Testing

@testable import Delivery

@Suite("The delivery core while the store or the host fails", .timeLimit(.minutes(10)))
struct FaultTests {
    private func full(_ store: FaultyStore) {
        store.judgeCommits { _ throws(StorageError) in throw .full(detail: "for this test") }
        store.failProbes(.full(detail: "for this test"))
    }

    private func heal(_ store: FaultyStore) {
        store.failProbes(nil)
        store.judgeCommits(nil)
    }

    private func untilAccepting(_ service: DeliveryService) async {
        while !service.health.isAccepting { await Task.yield() }
    }

    @Test("a failed store rejects at once, and readiness returns by itself, without traffic")
    func storeFails() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            full(store)
            for number in 0..<3 {
                let refused = await #expect(throws: IntakeError.self) {
                    _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e\(number)")])
                }
                #expect(refused == .storage(.full(detail: "for this test")))
                #expect(!service.health.isAccepting)
            }
            heal(store)
            await untilAccepting(service)
            #expect(service.health.storeError == nil)
            let results = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e1")])
            #expect(results.count == 1)
        }
    }

    @Test("outcomes that could not be stored are stored when the store works again")
    func outcomesWait() async throws {
        let core = try TestCore(respond: { _ in nil })
        try await core.run { service, store in
            _ = try await service.perform(.register(TestCore.device("d1")))
            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e1")])
            let provider = await core.provider()
            _ = await provider.taken(1)
            full(store)
            provider.respondToAll(.accepted(providerID: "kept"))
            while service.health.isAccepting { await Task.yield() }
            heal(store)
            await untilAccepting(service)
            let log = try await store.base.allDeliveries()
            #expect(log.map(\.state) == [.accepted])
            #expect(log.map(\.providerID) == ["kept"])
        }
    }

    @Test("damaged data is not written to any more, even if a later attempt would succeed")
    func damaged() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            let commits = Mutex(0)
            store.judgeCommits { _ throws(StorageError) in commits.withLock { $0 += 1 } }
            service.report(.unavailable(detail: "passes"))
            #expect(service.health.isAccepting)
            service.report(.corrupt(detail: "for this test"))
            #expect(service.health.storeError == .corrupt(detail: "for this test"))
            for number in 0..<3 {
                let refused = await #expect(throws: IntakeError.self) {
                    _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e\(number)")])
                }
                #expect(refused == .storage(.corrupt(detail: "for this test")))
                let change = await #expect(throws: IntakeError.self) {
                    _ = try await service.perform(.register(TestCore.device("d1")))
                }
                #expect(change == .storage(.corrupt(detail: "for this test")))
            }
            #expect(commits.withLock { $0 } == 0)
        }
    }

    @Test("damage that any call finds fails at once all callers that wait behind a slow commit")
    func damagedWhileCommitting() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            let gate = Gate()
            store.judgeCommits { _ throws(StorageError) in await gate.pass() }
            let corrupt = StorageError.corrupt(detail: "for this test")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await service.perform(.register(TestCore.device("d1"))) }
                await gate.reached()
                let waiting = Flood()
                for number in 0..<3 {
                    group.addTask {
                        let error = await #expect(throws: IntakeError.self) {
                            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e\(number)")])
                        }
                        #expect(error == .storage(corrupt))
                        waiting.counts.withLock { $0.refused += 1 }
                    }
                    group.addTask {
                        let error = await #expect(throws: IntakeError.self) {
                            _ = try await service.perform(.register(TestCore.device("late-\(number)")))
                        }
                        #expect(error == .storage(corrupt))
                        waiting.counts.withLock { $0.refused += 1 }
                    }
                }
                @Sendable func isWaiting() -> Bool {
                    service.state.withLock { $0.writer.pendingEvents == 3 && $0.writer.pendingChanges == 3 }
                }
                while !isWaiting() { await Task.yield() }
                store.meetDamage(corrupt)
                // The commit is still under way.
                while waiting.counts.withLock({ $0.refused }) < 6 { await Task.yield() }
                gate.open()
                try await group.waitForAll()
            }
            #expect(service.health.storeError == corrupt && !service.health.isAccepting)
        }
    }

    @Test("a poison outcome that waited for the store to work again ends its row, and affects no other")
    func poisonBehindFailure() async throws {
        let core = try TestCore(respond: { _ in nil })
        try await core.run { service, store in
            _ = try await service.perform(.register(TestCore.device("bad")))
            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e1")])
            let provider = await core.provider()
            _ = await provider.taken(1)
            full(store)
            provider.respondToAll(.accepted(providerID: "poison"))
            while service.health.isAccepting { await Task.yield() }
            store.failProbes(nil)
            store.judgeCommits { turn throws(StorageError) in
                if turn.outcomes.contains(where: { $0.response != nil }) { throw .constraint(detail: "for this test") }
            }
            await untilAccepting(service)
            let log = try await store.base.allDeliveries()
            #expect(log.map(\.state) == [.accepted] && log.map(\.providerID) == [nil])
        }
    }

    @Test("a fault of the host stops events but not changes, until it ends")
    func hostFault() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            service.report([.diskSpaceLow])
            let refused = await #expect(throws: IntakeError.self) {
                _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e1")])
            }
            #expect(refused == .fault(.diskSpaceLow))
            #expect(!service.health.isAccepting && service.health.faults == [.diskSpaceLow])
            _ = try await service.perform(.register(TestCore.device("d1")))
            service.report([])
            #expect(service.health.isAccepting)
            let results = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e1")])
            #expect(results.count == 1)
        }
    }

    @Test("one poison event among others of its request fails alone")
    func poisonInRequest() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            store.judgeCommits { turn throws(StorageError) in
                let isPoisoned = turn.accepts.contains { $0.events.contains { $0.event.id.rawValue == "poison" } }
                if isPoisoned { throw .constraint(detail: "for this test") }
            }
            let events = ["a", "poison", "b"].map { TestCore.event($0, consumer: $0) }
            let results = try await service.accept(brand: TestCore.brand, events: events)
            #expect(results.count == 3)
            #expect(results[1] == .failed(.storage(.constraint(detail: "for this test"))))
            for (index, id) in [(0, "a"), (2, "b")] {
                guard case .decided(.accepted) = results[index] else {
                    Issue.record("\(results[index])")
                    continue
                }
                let unread = try await store.base.unread(brand: TestCore.brand.id, consumer: ConsumerID(trusted: id))
                #expect(unread.total == 1)
            }
            #expect(service.health.isAccepting)
        }
    }

    @Test("a poison outcome ends its row without the provider's texts, and affects no other")
    func poisonOutcome() async throws {
        let core = try TestCore(respond: { job in .accepted(providerID: job.token) })
        try await core.run { service, store in
            store.judgeCommits { turn throws(StorageError) in
                let isPoisoned = turn.outcomes.contains {
                    guard let response = $0.response, case .accepted(let id) = response.outcome else { return false }
                    return id == "token-of-bad"
                }
                if isPoisoned { throw .constraint(detail: "for this test") }
            }
            _ = try await service.perform(.register(TestCore.device("bad")))
            _ = try await service.perform(.register(TestCore.device("good")))
            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e1")])
            _ = await core.provider().taken(2)
        }
        try await core.run { _, store in
            let log = try await store.base.allDeliveries()
            #expect(log.map(\.device.rawValue) == ["bad", "good"])
            #expect(log.map(\.state) == [.accepted, .accepted])
            #expect(log.map(\.providerID) == [nil, "token-of-good"])
        }
    }

    @Test("a brand that floods the intake leaves room and turns to others")
    func fairShare() async throws {
        let core = try TestCore()
        var settings = DeliverySettings()
        settings.maxPendingEvents = 100
        settings.maxEventsPerTurn = 10
        try await core.run(settings: settings) { service, store in
            let gate = Gate()
            store.judgeCommits { _ throws(StorageError) in await gate.pass() }
            let other = Brand(
                id: BrandID(trusted: "other"),
                name: "Other",
                settings: BrandSettings(),
                createdAt: Timestamp(milliseconds: 1)
            )
            let flood = Flood()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    // The first is in its commit before the others come.
                    if number == 1 { await gate.reached() }
                    group.addTask {
                        let events = (0..<10).map { TestCore.event("f\(number)-\($0)", consumer: "f\(number)") }
                        let results = try? await service.accept(brand: TestCore.brand, events: events)
                        flood.counts.withLock { if results == nil { $0.refused += 1 } else { $0.accepted += 1 } }
                    }
                }
                while flood.counts.withLock({ $0.refused }) == 0 || service.health.pendingEvents < 80 {
                    await Task.yield()
                }
                // Each event of an unknown brand is rejected by the store: it only matters that it got its turn.
                group.addTask {
                    let results = try? await service.accept(brand: other, events: [TestCore.event("small")])
                    #expect(results == [.decided(.rejected(.unknownBrand))])
                }
                while service.health.pendingEvents < 81 { await Task.yield() }
                gate.open()
            }
            #expect(flood.counts.withLock { $0.accepted } >= 9)
        }
    }
}

private final class Flood: Sendable {
    let counts = Mutex((accepted: 0, refused: 0))
}
