import Foundation
import GRDB
import GatewayModel
import GatewayStorage
import SQLStorage
import Synchronization
import Testing

@testable import SQLiteStorage

@Suite("Damage in the middle of the file", .timeLimit(.minutes(10)))
struct DamageTests {
    private let brand = BrandID(trusted: "acme")
    private let now = Timestamp(milliseconds: 1_767_323_045_678)

    /// The kind of damage to a page; none changes the file's first pages or its size.
    enum Garbage: CaseIterable, CustomTestStringConvertible {
        case random, zeros, ones, cellPointers, anotherPage

        var testDescription: String { "\(self)" }
    }

    /// Stores 300 messages of ten consumers, deliveries waiting and finished, and a session; closed afterwards.
    private func fill(_ engine: SQLiteEngine) async throws {
        let store = try engine.openSQLite()
        let incarnation = try await store.begin(now: now).incarnation
        try await store.insertBrand(
            Brand(id: brand, name: "Acme", settings: BrandSettings(), createdAt: now),
            audit: nil
        )
        let app = AppID(trusted: "shop")
        _ = try await store.putApp(
            StoredApp(brand: brand, id: app, sealedSettings: [1, 2, 3], updatedAt: now),
            lanes: [LaneKey(brand: brand, app: app, pushType: .apns, environment: .production)],
            audit: nil
        )
        var turn = WriterTurn(now: now, incarnation: incarnation)
        for number in 0..<10 {
            turn.changes.append(
                .register(
                    DeviceToRegister(
                        brand: brand,
                        app: app,
                        device: DeviceID(trusted: "d-\(number)"),
                        consumer: ConsumerID(trusted: "u-\(number)"),
                        token: String(repeating: "t", count: 100) + "\(number)",
                        pushType: .apns,
                        environment: .production,
                        platform: .ios,
                        receives: .all
                    )
                )
            )
        }
        turn.accepts = [accept(0..<300)]
        turn.claims = (try await store.lanes().keys).map { ClaimRequest(lane: $0, limit: 150) }
        _ = try await store.commit(turn)
        let claimed = try await store.commit(claims(turn))
        var finish = WriterTurn(now: now, incarnation: incarnation)
        for row in claimed.claims.flatMap(\.rows) {
            finish.outcomes.append(
                OutcomeRecord(
                    delivery: row.id,
                    registration: row.registration,
                    response: nil,
                    disposition: .finished(.expired, nil),
                    token: .none
                )
            )
        }
        _ = try await store.commit(finish)
        await store.close()
    }

    private func claims(_ turn: WriterTurn) -> WriterTurn {
        var claims = WriterTurn(now: turn.now, incarnation: turn.incarnation)
        claims.claims = turn.claims
        return claims
    }

    private func accept(_ range: Range<Int>) -> AcceptRequest {
        var generator = MessageIDGenerator()
        let events = range.map { number in
            var event = AgentEvent(
                id: EventID(trusted: "evt-\(number)"),
                type: .agentMessage,
                consumer: ConsumerID(trusted: "u-\(number % 10)")
            )
            event.conversation = ConversationID(trusted: "c-\(number % 10)")
            event.text = String(repeating: "word ", count: 50)
            return PostedEvent(event, generator.next(at: now.adding(milliseconds: Int64(number))))
        }
        return AcceptRequest(brand: brand, messageTtlSeconds: 60, dedupeHours: 72, events: events)
    }

    private func spoil(_ page: ArraySlice<UInt8>, _ garbage: Garbage, seed: Int, other: ArraySlice<UInt8>) -> [UInt8] {
        var page = Array(page)
        var state = UInt64(truncatingIfNeeded: seed &* 0x9E37_79B9 | 1)
        func random() -> UInt8 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 40)
        }
        switch garbage {
        case .random: for index in page.indices { page[index] = random() }
        case .zeros: for index in page.indices { page[index] = 0 }
        case .ones: for index in page.indices { page[index] = 0xFF }
        // The header stays: only the pointers are wrong.
        case .cellPointers: for index in 8..<200 { page[index] = random() }
        case .anotherPage: page = Array(other)
        }
        return page
    }

    /// Uses everything that can be read and written; returns the errors.
    private func touch(_ store: SQLiteStore) async -> [StorageError] {
        var errors: [StorageError] = []
        func attempt(_ work: () async throws -> Void) async {
            do {
                try await work()
            } catch let error as StorageError {
                errors.append(error)
            } catch {
                Issue.record(error)
            }
        }
        await attempt { _ = try await store.begin(now: now) }
        await attempt { _ = try await store.brands() }
        await attempt { _ = try await store.apps() }
        await attempt { _ = try await store.credentials() }
        for number in 0..<10 {
            let consumer = ConsumerID(trusted: "u-\(number)")
            await attempt { _ = try await store.unread(brand: brand, consumer: consumer) }
            await attempt { _ = try await store.registrations(brand: brand, consumer: consumer) }
            await attempt {
                _ = try await store.messages(
                    brand: brand,
                    consumer: consumer,
                    conversation: nil,
                    afterSequence: 0,
                    after: nil,
                    limit: 500
                )
            }
        }
        await attempt { _ = try await store.deliveries(DeliveryQuery(brand: brand, limit: 500)) }
        var turn = WriterTurn(now: now, incarnation: IncarnationID(99))
        await attempt { turn.claims = (try await store.lanes().keys).map { ClaimRequest(lane: $0, limit: 1000) } }
        turn.accepts = [accept(250..<350)]
        await attempt { _ = try await store.commit(turn) }
        await attempt { _ = try await store.deleteBrand(brand, audit: nil) }
        return errors
    }

    @Test("a page of garbage is reported as corrupt or does no harm; nothing crashes", arguments: Garbage.allCases)
    func pages(_ garbage: Garbage) async throws {
        let engine = try SQLiteEngine()
        try await fill(engine)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: engine.path)))
        let size = 4096
        let pages = bytes.count / size
        try #require(pages > 60)
        var corrupt = 0
        for number in stride(from: 1, to: pages, by: 3) {
            var spoiled = bytes
            let other = (number + 7) % pages
            spoiled.replaceSubrange(
                number * size..<(number + 1) * size,
                with: spoil(
                    bytes[number * size..<(number + 1) * size],
                    garbage,
                    seed: number,
                    other: bytes[other * size..<(other + 1) * size]
                )
            )
            let path = engine.directory.appending(path: "spoiled-\(number).db").path
            try Data(spoiled).write(to: URL(filePath: path))
            var errors: [StorageError] = []
            do {
                let store = try SQLiteEngine.openSQLite(path: path)
                let reported = Mutex<[StorageError]>([])
                store.onDamage { error in reported.withLock { $0.append(error) } }
                errors = await touch(store)
                #expect(reported.withLock { $0 } == errors.filter { $0.label == "corrupt" })
                await store.close()
            } catch let error as StorageError {
                errors = [error]
            }
            for case .corrupt(let detail) in errors {
                corrupt += 1
                #expect(detail.contains(path) && detail.contains("switchboard restore"))
            }
            // A page from elsewhere may be well formed: then the data is inconsistent in another way, and is unchanged.
            // So it is where the hashes of the migrations are those of another page.
            let known = ["corrupt", "constraint", "unavailable", "changed_migration"]
            for error in errors where !known.contains(error.label) {
                Issue.record("page \(number): \(error)")
            }
        }
        // Garbage in tables that are read is detected.
        #expect(corrupt > pages / 6)
    }

    @Test("every connection checks cells")
    func cellSizeCheck() async throws {
        let engine = try SQLiteEngine()
        let store = try engine.openSQLite()
        let sql = "PRAGMA cell_size_check"
        let writer = try await store.pool.writeWithoutTransaction { try Int.fetchOne($0, sql: sql) }
        let reader = try await store.pool.read { try Int.fetchOne($0, sql: sql) }
        #expect(writer == 1 && reader == 1)
        await store.close()
    }
}
