import Delivery
import Foundation
import GatewayModel
import GatewayStorage
import Logging
import SQLiteStorage
import Synchronization
import TestSupport
import Testing

@Suite("The clock keeper", .timeLimit(.minutes(10)))
struct ClockKeeperTests {
    private static let start = Timestamp(milliseconds: 1_767_323_045_678)
    private static let month: Int64 = 30 * 86_400
    private let host = TestClock(now: Self.start)
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Runs a test on data that a gateway wrote at ``start``.
    private func withData(_ test: (any GatewayStore) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("clock-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try SQLiteStore.open(path: folder.appendingPathComponent("test.sqlite").path, logger: logger)
        #expect(try await !open(store).isGuarded)
        _ = try await store.begin(now: Self.start)
        try await test(store)
        await store.close()
    }

    private func open(_ store: any ClockStore & HealthStore) async throws -> ClockKeeper {
        try await ClockKeeper.open(store: store, system: host, logger: logger)
    }

    private func word(_ target: String = "now") -> AuditEntry {
        AuditEntry(brand: nil, at: host.now, actor: .admin, action: .clockAccepted, target: target)
    }

    @Test("a clock far ahead is guarded for six hours of running, over restarts; then that is logged and it is trusted")
    func lasts() async throws {
        try await withData { store in
            host.jump(seconds: 2 * Self.month)
            let first = try await open(store)
            #expect(first.isGuarded && first.state.newestStored == Self.start)
            #expect(first.state.guardedUntil == host.now.adding(seconds: 6 * 3600))
            #expect(first.state.gateway == host.now && first.state.system == host.now)
            _ = try await store.begin(now: first.clock.now)
            host.advance(seconds: 4 * 3600)
            await first.check()
            let second = try await open(store)
            #expect(second.state.guardedUntil == host.now.adding(seconds: 2 * 3600))
            let ends = Mutex(0)
            second.onEnd { ends.withLock { $0 += 1 } }
            host.advance(seconds: 2 * 3600 - 1)
            await second.check()
            #expect(second.isGuarded && ends.withLock { $0 } == 0)
            host.advance(seconds: 1)
            await second.check()
            await second.check()
            #expect(!second.isGuarded && ends.withLock { $0 } == 1 && second.state.guardedUntil == nil)
            #expect(try await store.storedTime().mark == ClockMark(trusted: host.now))
            #expect(try await !open(store).isGuarded)
        }
    }

    @Test("an operator's acceptance ends the guard, is in the audit trail once, and holds for the next start")
    func accepted() async throws {
        try await withData { store in
            host.jump(seconds: 2 * Self.month)
            let keeper = try await open(store)
            let ends = Mutex(0)
            keeper.onEnd { ends.withLock { $0 += 1 } }
            #expect(try await keeper.accept(word()))
            #expect(try await !keeper.accept(word("again")))
            #expect(!keeper.isGuarded && ends.withLock { $0 } == 1)
            let trail = try await store.audit(AuditQuery(brand: nil, limit: 10))
            #expect(trail.map(\.entry) == [word()])
            #expect(try await !open(store).isGuarded)
        }
    }

    @Test("a clock that is set back during the guard was wrong: the guard stays until the next start")
    func setBack() async throws {
        try await withData { store in
            host.jump(seconds: 2 * Self.month)
            let keeper = try await open(store)
            host.jump(seconds: -2 * Self.month)
            host.advance(seconds: 7 * 3600)
            await keeper.check()
            #expect(keeper.isGuarded && keeper.state.needsRestart)
            #expect(try await !keeper.accept(word()) && keeper.isGuarded)
            #expect(try await store.audit(AuditQuery(brand: nil, limit: 10)).isEmpty)
            #expect(try await !open(store).isGuarded)
        }
    }

    @Test("a start with the right clock removes what a guarded one wrote")
    func rightAgain() async throws {
        try await withData { store in
            host.jump(seconds: 2 * Self.month)
            let wrong = try await open(store)
            _ = try await store.begin(now: wrong.clock.now)
            host.jump(seconds: -2 * Self.month)
            host.advance(seconds: 60)
            let right = try await open(store)
            #expect(!right.isGuarded && right.clock.now == host.now && right.state.newestStored == Self.start)
            #expect(try await store.storedTime().mark == ClockMark(trusted: host.now))
            host.advance(seconds: 60)
            #expect(try await open(store).clock.now == host.now)
        }
    }

    @Test("with a clock that is behind, time continues from the newest stored time, also at the next start")
    func behind() async throws {
        try await withData { store in
            host.jump(seconds: -12 * Self.month)
            let keeper = try await open(store)
            #expect(!keeper.isGuarded && keeper.clock.now == Self.start)
            host.advance(seconds: 100)
            let now = keeper.clock.now
            #expect(now == Self.start.adding(seconds: 90))
            await keeper.check()
            #expect(try await open(store).clock.now == now)
            // The clock is set.
            host.jump(seconds: 12 * Self.month)
            #expect(try await open(store).clock.now == host.now)
        }
    }
}
