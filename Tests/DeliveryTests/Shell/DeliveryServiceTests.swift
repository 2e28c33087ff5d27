import Delivery
import GatewayModel
import GatewayStorage
import PushProviders
import Synchronization
import Testing

@Suite("The delivery core on a real database", .timeLimit(.minutes(10)))
struct DeliveryServiceTests {
    @Test("an accepted event is stored, counted, sent with its badge, and its outcome logged after the stop")
    func wholeWay() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            _ = try await service.perform(.register(TestCore.device("d1")))
            let results = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e1")])
            guard case .decided(.accepted(let accepted)) = try #require(results.first) else {
                Issue.record("not accepted: \(results)")
                return
            }
            #expect(accepted.unread == 1)
            #expect(accepted.sequence == 1)
            #expect(accepted.deliveries == 1)
            let jobs = await core.provider().taken(1)
            #expect(jobs.map(\.token) == ["token-of-d1"])
            #expect(jobs.map(\.badge) == [1])
            #expect(jobs.first?.message?.id == accepted.messageID)
        }
        try await core.run { _, store in
            let log = try await store.base.allDeliveries()
            #expect(log.map(\.state) == [.accepted])
            #expect(log.map(\.badge) == [1])
            #expect(log.map(\.providerID) == ["id"])
            #expect(log.map(\.attempts) == [1])
        }
    }

    @Test("a lane that is paused at the start sends nothing until it is resumed")
    func pausedLane() async throws {
        let core = try TestCore()
        let lane = Mutex<LaneID?>(nil)
        try await core.run { service, store in
            _ = try await service.perform(.register(TestCore.device("d1")))
            let found = try await store.base.lanes().first { $0.value == TestCore.lane }
            lane.withLock { $0 = found?.key }
        }
        let id = try #require(lane.withLock { $0 })
        core.pausedAtStart.withLock { $0 = [id] }
        try await core.run { service, store in
            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e1")])
            #expect(try await store.base.allDeliveries().map(\.state) == [.pending])
            #expect(service.status(of: [id]).map(\.state) == [.paused] && core.providers.isEmpty)
            service.lanesPaused([id: false])
            #expect(await core.provider().taken(1).map(\.token) == ["token-of-d1"])
        }
    }

    @Test("a lane that has a pace at the start keeps to it, and wakes by itself")
    func pacedLane() async throws {
        let core = try TestCore()
        let lane = Mutex<LaneID?>(nil)
        try await core.run { service, store in
            for device in ["d1", "d2", "d3"] { _ = try await service.perform(.register(TestCore.device(device))) }
            let found = try await store.base.lanes().first { $0.value == TestCore.lane }
            lane.withLock { $0 = found?.key }
        }
        let id = try #require(lane.withLock { $0 })
        core.pacedAtStart.withLock { $0 = [id: 2] }
        try await core.run { service, _ in
            let start = ContinuousClock.now
            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e1")])
            #expect(await core.provider().taken(3).count == 3)
            // One leaves at once, and one each half second.
            #expect(ContinuousClock.now - start >= .milliseconds(950))
            service.lanesPaced([id: nil])
            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e2")])
            #expect(await core.provider().taken(6).count == 6)
        }
    }

    @Test("a lane is unreachable until its provider is ready; a replaced provider's errors do not count")
    func unreachable() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            _ = try await service.perform(.register(TestCore.device("d1")))
            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e1")])
            let provider = await core.provider()
            _ = await provider.taken(1)
            let lanes = try await store.base.lanes()
            let id = try #require(lanes.first { $0.value == TestCore.lane }?.key)
            provider.report(.failed(.proxy, reason: "refused"))
            provider.report(.connecting)
            #expect(service.status(of: [id]).map(\.state) == [.unreachable])
            #expect(service.status(of: [id]).map(\.fault) == [.proxy])
            provider.report(.ready)
            #expect(service.status(of: [id]).map(\.fault) == [nil])
            service.lanesChanged([id], .rendering)
            provider.report(.failed(.unreachable, reason: "late"))
            #expect(service.status(of: [id]).map(\.fault) == [nil])
        }
    }

    @Test("events of one consumer arrive in order with rising badges, however fast the results are")
    func order() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            _ = try await service.perform(.register(TestCore.device("d1")))
            for number in 1...50 {
                _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e\(number)")])
            }
            let jobs = await core.provider().taken(50)
            #expect(jobs.compactMap { $0.message?.sequence } == Array(1...50))
            let badges = jobs.compactMap(\.badge)
            #expect(zip(badges, badges.dropFirst()).allSatisfy { $0 <= $1 })
            #expect(badges.last == 50)
        }
    }

    @Test("a core whose task is cancelled completes what it accepted and ends, as after a graceful stop")
    func cancelled() async throws {
        let core = try TestCore()
        let (sendings, sending) = AsyncStream<Void>.makeStream()
        let task = Task {
            defer { sending.finish() }
            try await core.run { service, _ in
                _ = try await service.perform(.register(TestCore.device("d1")))
                _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e1")])
                _ = await core.provider().taken(1)
                sending.yield()
                // Until the cancellation.
                for await _ in AsyncStream<Void>.makeStream().stream {}
            }
        }
        for await _ in sendings { task.cancel() }
        try await task.value
        try await core.run { _, store in
            let log = try await store.base.allDeliveries()
            #expect(log.map(\.state) == [.accepted])
        }
    }

    @Test("turns are committed by a task that prefers an executor, so that a store may block its thread")
    func ownExecutor() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            let areOwn = Mutex<[Bool]>([])
            store.judgeCommits { _ throws(StorageError) in
                let isOwn = withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil }
                areOwn.withLock { $0.append(isOwn) }
            }
            _ = try await service.perform(.register(TestCore.device("d1")))
            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e1")])
            #expect(areOwn.withLock { $0.count >= 2 && $0.allSatisfy(\.self) })
        }
    }

    @Test("a lane that changes while its provider is created gets another, from the new settings")
    func changeWhileMaking() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            let lanes = Array(try await store.base.lanes().keys)
            let makings = Mutex(0)
            core.mayMake.withLock {
                $0 = {
                    // A thread that creates a provider holds no lock that the change needs.
                    if makings.withLock({
                        $0 += 1
                        return $0 == 1
                    }) {
                        service.lanesChanged(lanes, .credential)
                    }
                    return true
                }
            }
            _ = try await service.perform(.register(TestCore.device("d1")))
            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e1")])
            // The first was created from old settings, and is never woken.
            while makings.withLock({ $0 }) < 2 { await Task.yield() }
            #expect(await core.provider().taken(1).map(\.token) == ["token-of-d1"])
            #expect(makings.withLock { $0 } == 2)
        }
    }

    @Test("a lane whose credential is still being loaded waits without an error, and sends after its change")
    func opening() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            let lanes = Array(try await store.base.lanes().keys)
            let asked = Mutex(0)
            let isOpen = Mutex(false)
            core.mayMake.withLock {
                $0 = {
                    asked.withLock { $0 += 1 }
                    return isOpen.withLock { $0 }
                }
            }
            _ = try await service.perform(.register(TestCore.device("d1")))
            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e1")])
            while asked.withLock({ $0 }) == 0 { await Task.yield() }
            isOpen.withLock { $0 = true }
            service.lanesChanged(lanes, .credential)
            #expect(await core.provider().taken(1).map(\.token) == ["token-of-d1"])
        }
    }

    @Test("a logout before a push's turn stops the push")
    func logout() async throws {
        let core = try TestCore(respond: { _ in nil })
        try await core.run { service, store in
            _ = try await service.perform(.register(TestCore.device("d1")))
            _ = try await service.accept(
                brand: TestCore.brand,
                events: [TestCore.event("e1"), TestCore.event("e2")]
            )
            let provider = await core.provider()
            _ = await provider.taken(1)
            let change = try await service.perform(
                .unregister(
                    brand: TestCore.brand.id,
                    consumer: ConsumerID(trusted: "u1"),
                    app: nil,
                    device: nil,
                    scope: .all
                )
            )
            guard case .unregistered(let ended) = change else {
                Issue.record("unexpected \(change)")
                return
            }
            #expect(ended.ended.count == 1)
            provider.respondToAll(.accepted(providerID: nil))
        }
        try await core.run { _, store in
            let log = try await store.base.allDeliveries()
            // The first was in flight already and is recorded as accepted; the second never left.
            #expect(log.map(\.state) == [.accepted, .cancelled])
            #expect(log.map(\.suppressedBy) == [nil, .unregistered])
        }
    }

    @Test("pushes without a result when the process stopped are sent again by the next one, in order")
    func restart() async throws {
        let core = try TestCore(respond: { _ in nil })
        var settings = DeliverySettings()
        settings.retryDelaysSeconds = [0]
        try await core.run(settings: settings) { service, _ in
            _ = try await service.perform(.register(TestCore.device("d1")))
            _ = try await service.accept(
                brand: TestCore.brand,
                events: (1...5).map { TestCore.event("e\($0)") }
            )
            _ = await core.provider().taken(1)
        }
        let second = try TestCore(sharing: core)
        try await second.run(settings: settings) { _, _ in
            let jobs = await second.provider().taken(5)
            #expect(jobs.compactMap { $0.message?.sequence } == [1, 2, 3, 4, 5])
        }
    }

    @Test("a temporary fault is retried, and the delivery log has every attempt")
    func retry() async throws {
        let tries = Mutex(0)
        let core = try TestCore(respond: { _ in
            tries.withLock { tries in
                tries += 1
                return tries < 3 ? .retry(afterSeconds: 0, scope: .device) : .accepted(providerID: "third")
            }
        })
        try await core.run { service, store in
            _ = try await service.perform(.register(TestCore.device("d1")))
            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e1")])
            _ = await core.provider().taken(3)
        }
        try await core.run { _, store in
            let log = try await store.base.allDeliveries()
            #expect(log.map(\.state) == [.accepted])
            #expect(log.map(\.attempts) == [3])
            let id = try #require(log.first?.id)
            let detail = try await store.base.delivery(brand: TestCore.brand.id, id: id)
            #expect(detail?.attempts.map(\.status) == [503, 503, 200])
        }
    }

    @Test("one poison event fails alone")
    func poison() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            store.judgeCommits { turn throws(StorageError) in
                let isPoisoned = turn.accepts.contains { $0.events.contains { $0.event.id.rawValue == "poison" } }
                if isPoisoned { throw .constraint(detail: "for this test") }
            }
            await withTaskGroup(of: (String, Bool).self) { group in
                for id in ["a", "poison", "b", "c"] {
                    group.addTask {
                        let result = try? await service.accept(
                            brand: TestCore.brand,
                            events: [TestCore.event(id, consumer: id)]
                        )
                        return (id, result != nil)
                    }
                }
                for await (id, isAccepted) in group { #expect(isAccepted == (id != "poison"), "\(id)") }
            }
            for id in ["a", "b", "c"] {
                let unread = try await store.base.unread(brand: TestCore.brand.id, consumer: ConsumerID(trusted: id))
                #expect(unread.total == 1)
            }
        }
    }

    @Test("a full intake rejects before anything is stored, and accepts again when it has room")
    func overload() async throws {
        let core = try TestCore()
        var settings = DeliverySettings()
        settings.maxPendingEvents = 4
        settings.maxEventsPerTurn = 2
        try await core.run(settings: settings) { service, store in
            let gate = Gate()
            store.judgeCommits { _ throws(StorageError) in await gate.pass() }
            async let first = service.accept(
                brand: TestCore.brand,
                events: [TestCore.event("a1"), TestCore.event("a2")]
            )
            await gate.reached()
            async let second = service.accept(
                brand: TestCore.brand,
                events: [TestCore.event("b1"), TestCore.event("b2")]
            )
            async let third = service.accept(
                brand: TestCore.brand,
                events: [TestCore.event("c1"), TestCore.event("c2")]
            )
            // The first is in its commit; two more fill the queue.
            while service.health.pendingEvents < 4 { await Task.yield() }
            let refused = await #expect(throws: IntakeError.self) {
                _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("d1")])
            }
            #expect(refused == .overloaded(retryAfterSeconds: 1))
            gate.open()
            let taken = try await [first, second, third]
            #expect(taken.map(\.count) == [2, 2, 2])
            let last = try await service.accept(brand: TestCore.brand, events: [TestCore.event("d1")])
            #expect(last.count == 1)
        }
    }

    @Test("a request of many events is split into commits, and its results stay in order")
    func pieces() async throws {
        let core = try TestCore()
        var settings = DeliverySettings()
        settings.maxEventsPerTurn = 10
        try await core.run(settings: settings) { service, store in
            let largest = Mutex(0)
            store.judgeCommits { turn throws(StorageError) in
                let count = turn.accepts.reduce(0) { $0 + $1.events.count }
                largest.withLock { $0 = max($0, count) }
            }
            let events = (1...95).map { TestCore.event("e\($0)") }
            let results = try await service.accept(brand: TestCore.brand, events: events)
            let sequences = results.map { result -> Int64? in
                if case .decided(.accepted(let accepted)) = result { accepted.sequence } else { nil }
            }
            #expect(sequences == Array(1...95))
            #expect(largest.withLock { $0 } == 10)
        }
    }

    @Test("a dead token ends the registration unless it was registered again since")
    func deadToken() async throws {
        let core = try TestCore(respond: { job in
            job.token == "token-of-dead" ? .unregistered(since: nil) : .accepted(providerID: nil)
        })
        try await core.run { service, store in
            _ = try await service.perform(.register(TestCore.device("dead")))
            _ = try await service.perform(.register(TestCore.device("alive")))
            _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event("e1")])
            _ = await core.provider().taken(2)
        }
        try await core.run { service, store in
            let left = try await store.base.registrations(brand: TestCore.brand.id, consumer: ConsumerID(trusted: "u1"))
            #expect(left.map(\.device.rawValue) == ["alive"])
        }
    }
}
