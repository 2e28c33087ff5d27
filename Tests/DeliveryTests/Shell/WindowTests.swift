import Delivery
import GatewayModel
import GatewayStorage
import PushProviders
import Synchronization
import Testing

@Suite("The delivery core and messaging windows", .timeLimit(.minutes(10)))
struct WindowTests {
    private static let user = ConsumerName(brand: TestCore.brand.id, consumer: ConsumerID(trusted: "u1"))

    /// A listener that keeps the events that it receives.
    private final class Listener: WindowObserver {
        private let windowEvents = Mutex<[WindowEvent]>([])

        func committed(_ windowEvents: [WindowEvent]) { self.windowEvents.withLock { $0 += windowEvents } }

        /// The windows that messages were sent through.
        var origins: [WindowID?] {
            windowEvents.withLock { $0.filter { if case .message = $0.kind { true } else { false } }.map(\.origin) }
        }

        /// The sequences of messages.
        var sequences: [Int64] {
            windowEvents.withLock {
                $0.compactMap { if case .message(let message) = $0.kind { message.sequence } else { nil } }
            }
        }
    }

    private static func states(_ store: FaultyStore) async throws -> [DeliveryState] {
        try await store.base.allDeliveries().map(\.state)
    }

    private static func isStored(_ service: DeliveryService, _ event: AgentEvent) async -> Bool {
        (try? await service.accept(brand: TestCore.brand, events: [event])) != nil
    }

    private static func post(_ service: DeliveryService, _ ids: String...) async throws {
        for id in ids { _ = try await service.accept(brand: TestCore.brand, events: [TestCore.event(id)]) }
    }

    @Test("name the window that a consumer's message was sent through, so that only the others are notified")
    func origins() async throws {
        let core = try TestCore()
        try await core.run { service, _ in
            let listener = Listener()
            service.observe(windows: listener)
            service.windowOpened(Self.user, device: nil)
            try await Self.post(service, "e1")
            for (id, window) in [("k1", WindowID(7)), ("k2", nil), ("k1", WindowID(8))] {
                var message = ConsumerMessage(
                    brand: TestCore.brand.id,
                    consumer: Self.user.consumer,
                    conversation: ConversationID(trusted: "c-u1"),
                    clientID: try #require(ClientID(id)),
                    text: "hello",
                    data: nil,
                    dedupeHours: 72
                )
                message.window = window
                _ = try await service.perform(.write(message))
            }
            #expect(listener.sequences == [1, 2, 3])
            #expect(listener.origins == [nil, WindowID(7), nil])
        }
    }

    @Test("notify the window before the back-end, hold the push, and push what the window did not acknowledge")
    func closes() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            let listener = Listener()
            service.observe(windows: listener)
            _ = try await service.perform(.register(TestCore.device("d1")))
            service.windowOpened(Self.user, device: nil)
            for number in 1...3 {
                try await Self.post(service, "e\(number)")
                #expect(listener.sequences.last == Int64(number))
            }
            let states = try await Self.states(store)
            #expect(states == [.held, .held, .held])
            _ = try await service.perform(
                .read(
                    ReadRequest(
                        brand: TestCore.brand.id,
                        consumer: Self.user.consumer,
                        conversation: ConversationID(trusted: "c-u1"),
                        target: .sequence(1),
                        device: DeviceID(trusted: "d1")
                    )
                )
            )
            service.windowClosed(Self.user, device: nil)
            let jobs = await core.provider().taken(2)
            #expect(jobs.map(\.message?.sequence) == [2, 3] && jobs.map(\.badge) == [2, 2])
            try await Self.post(service, "e4")
            let last = await core.provider().taken(3).last
            #expect(last?.message?.sequence == 4)
            #expect(listener.sequences == [1, 2, 3])
        }
        try await core.run { _, store in
            let states = try await Self.states(store)
            #expect(states == [.suppressed, .accepted, .accepted, .accepted])
        }
    }

    @Test("find in the store, after settle(), the results of a turn that had begun before they opened")
    func settles() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            let listener = Listener()
            service.observe(windows: listener)
            await service.settle()
            let gate = Gate()
            store.judgeCommits { _ throws(StorageError) in await gate.pass() }
            async let posted: Void = Self.post(service, "e1")
            await gate.reached()
            service.windowOpened(Self.user, device: nil)
            let unreadWhenSettled = Mutex<Int64?>(nil)
            async let settled: Void = {
                await service.settle()
                let unread = try await store.base.unread(brand: TestCore.brand.id, consumer: Self.user.consumer).total
                unreadWhenSettled.withLock { $0 = unread }
            }()
            gate.open()
            try await settled
            let unread = unreadWhenSettled.withLock { $0 }
            #expect(unread == 1 && listener.sequences.isEmpty)
            try await posted
            try await Self.post(service, "e2")
            #expect(listener.sequences == [2])
        }
    }

    @Test("release in the next turn the rows that a turn held while its window closed")
    func closesDuringCommit() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            _ = try await service.perform(.register(TestCore.device("d1")))
            service.windowOpened(Self.user, device: nil)
            let gate = Gate()
            store.judgeCommits { _ throws(StorageError) in await gate.pass() }
            async let posted: Void = Self.post(service, "e1")
            await gate.reached()
            service.windowClosed(Self.user, device: nil)
            gate.open()
            try await posted
            let sequences1 = await core.provider().taken(1).map(\.message?.sequence)
            #expect(sequences1 == [1])
        }
    }

    @Test("release when the store accepts writes again, however long it failed")
    func storeFails() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            _ = try await service.perform(.register(TestCore.device("d1")))
            service.windowOpened(Self.user, device: nil)
            try await Self.post(service, "e1")
            let failures = Mutex(0)
            store.failProbes(.full(detail: "for this test"))
            store.judgeCommits { _ throws(StorageError) in
                let count = failures.withLock { failures in
                    failures += 1
                    return failures
                }
                if count <= 2 { throw .full(detail: "for this test") }
            }
            service.windowClosed(Self.user, device: nil)
            let sequences1 = await core.provider().taken(1).map(\.message?.sequence)
            #expect(sequences1 == [1])
            let count = failures.withLock { $0 }
            #expect(count >= 3)
            store.failProbes(nil)
        }
    }

    @Test("release also when another consumer's part of the turn is poison")
    func poison() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            _ = try await service.perform(.register(TestCore.device("d1")))
            service.windowOpened(Self.user, device: nil)
            try await Self.post(service, "e1")
            let gate = Gate()
            store.judgeCommits { turn throws(StorageError) in
                await gate.pass()
                let isPoisoned = turn.accepts.contains { $0.events.contains { $0.event.id.rawValue == "poison" } }
                if isPoisoned { throw .constraint(detail: "for this test") }
            }
            async let first: Void = Self.post(service, "e2")
            await gate.reached()
            async let isStored = Self.isStored(service, TestCore.event("poison", consumer: "u2"))
            while service.health.pendingEvents < 1 { await Task.yield() }
            service.windowClosed(Self.user, device: nil)
            gate.open()
            try await first
            let stored = await isStored
            #expect(!stored)
            let sequences2 = await core.provider().taken(2).map(\.message?.sequence)
            #expect(sequences2 == [1, 2])
        }
    }

    @Test("push after a restart what a window had not acknowledged when the process ended")
    func restart() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            _ = try await service.perform(.register(TestCore.device("d1")))
            service.windowOpened(Self.user, device: nil)
            try await Self.post(service, "e1")
            let states = try await Self.states(store)
            #expect(states == [.held])
        }
        let second = try TestCore(sharing: core)
        try await second.run { _, _ in
            let sequences = await second.provider().taken(1).map(\.message?.sequence)
            #expect(sequences == [1])
        }
    }

    @Test("push at once where the brand's windows hold nothing")
    func settings() async throws {
        let core = try TestCore()
        try await core.run { service, store in
            _ = try await service.perform(.register(TestCore.device("d1")))
            service.windowOpened(Self.user, device: nil)
            try await Self.post(service, "e1")
            var brand = TestCore.brand
            brand.settings.suppressWhileWindowOpen = false
            service.setPresence(of: [brand])
            let sequences1 = await core.provider().taken(1).map(\.message?.sequence)
            #expect(sequences1 == [1])
            try await Self.post(service, "e2")
            let sequences2 = await core.provider().taken(2).map(\.message?.sequence)
            #expect(sequences2 == [1, 2])
        }
    }
}
