import Dispatch
import GatewayStorage
import SQLStorage
import Synchronization
import Testing

@testable import SQLiteStorage

@Suite("The connections that read", .timeLimit(.minutes(5)))
struct ReadersTests {
    private let engine: SQLiteEngine

    init() throws { engine = try SQLiteEngine() }

    private static let count = "SELECT count(*) FROM brands"

    /// The number of reads at a time.
    private final class Running: Sendable {
        let count = Mutex((now: 0, most: 0))
    }

    @Test("more reads than connections wait for each other, and each is made")
    func waiting() async throws {
        let store = try engine.openSQLite()
        let readers = store.readers
        let running = Running()
        let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        let reads = (0..<12).map { number in
            Task {
                try await readers.read { db in
                    running.count.withLock { $0 = (now: $0.now + 1, most: max($0.most, $0.now + 1)) }
                    arrival.yield()
                    gate.wait()
                    running.count.withLock { $0.now -= 1 }
                    return try db.prepare(once: Self.count).integer().map { $0 + Int64(number) }
                }.get()
            }
        }
        // All connections are in use before the first read ends.
        var arrivals = arrived.makeAsyncIterator()
        for _ in 0..<Readers.maxCount { await arrivals.next() }
        for _ in reads { gate.signal() }
        for (number, read) in reads.enumerated() { #expect(try await read.value == Int64(number)) }
        #expect(running.count.withLock { $0 } == (now: 0, most: Readers.maxCount))
        await store.close()
    }

    @Test("a read sees one state of the data, whatever is committed meanwhile")
    func snapshot() async throws {
        let store = try engine.openSQLite()
        let seen = try await store.pool.read { db in
            let first = try Int.fetchOne(db, sql: Self.count)
            try store.writing.wait {
                try $0.run("INSERT INTO brands (id, name, settings, created_at) VALUES ('acme', 'Acme', '{}', 0)")
            }
            return [first, try Int.fetchOne(db, sql: Self.count)]
        }
        #expect(seen == [0, 0])
        #expect(try await store.pool.read { try Int.fetchOne($0, sql: Self.count) } == 1)
        await store.close()
    }

    @Test("a read that fails leaves its connection as it was")
    func failure() async throws {
        let store = try engine.openSQLite()
        for _ in 0..<2 * Readers.maxCount {
            await #expect(throws: SQLiteError.self) {
                try await store.pool.read { try $0.prepare(once: "SELECT 1 FROM no").hasRow() }
            }
            #expect(try await store.pool.read { try Int.fetchOne($0, sql: Self.count) } == 0)
        }
        await store.close()
    }

    @Test("after the end nothing is read or written")
    func closed() async throws {
        let store = try engine.openSQLite()
        try await store.probe()
        await store.close()
        await #expect(throws: StorageError.closed) { try await store.probe() }
        await #expect(throws: StorageError.closed) {
            try await store.pool.read { try $0.prepare(once: Self.count).hasRow() }
        }
        #expect(throws: StorageError.closed) { try store.writing.wait { try $0.run("SELECT 1") } }
    }
}
