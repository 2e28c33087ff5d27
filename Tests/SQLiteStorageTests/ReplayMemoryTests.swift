import Foundation
import GRDB
import GatewayModel
import GatewayStorage
import SQLStorage
import Testing
import TurnRules

@testable import SQLiteStorage

@Suite("The writer's memory of event ids", .timeLimit(.minutes(10)))
struct ReplayMemoryTests {
    private static func mark(_ number: Int, _ brand: Int64 = 1) -> UInt32 {
        let event = AgentEvent(
            id: EventID(trusted: "event-with-a-long-id-\(number)"),
            type: .agentMessage,
            consumer: ConsumerID(trusted: "u-1")
        )
        return Replay(EventKey(event, of: nil, brand: brand, at: Timestamp(milliseconds: 0)), of: "u-1").mark
    }

    /// Stores this many ids of a day, and returns the bucket of each.
    private static func fill(_ memory: inout ReplayMemory, _ numbers: Range<Int>, on day: Int64) -> [Int64] {
        numbers.map { number in
            _ = memory.prepare(for: day)
            memory.add(mark(number))
            return memory.current
        }
    }

    @Test("an id is looked up in its bucket, and in few others")
    func finds() {
        var memory = ReplayMemory()
        // More than the capacity of the first filter.
        let count = 7 * ReplayMemory.bucketSize
        let buckets = Self.fill(&memory, 0..<count, on: 20_000)
        #expect(Set(buckets).count == 7 && Set(buckets) == Set(memory.buckets))
        var others = 0
        for number in 0..<count {
            let found = memory.candidates(Self.mark(number), since: 19_997)
            #expect(found.contains(buckets[number]))
            others += found.count - 1
        }
        #expect(others < count / 20)
        let unknown = (count..<2 * count).count { !memory.candidates(Self.mark($0), since: 19_997).isEmpty }
        #expect(unknown < count / 20)
        // Its day is over for a brand with a shorter retention.
        #expect(memory.candidates(Self.mark(0), since: 20_001).isEmpty)
    }

    @Test("a new day, and a full bucket, begin another bucket; the earlier one returns its marks")
    func closes() {
        var memory = ReplayMemory()
        #expect(memory.prepare(for: 20_000) == nil)
        memory.add(Self.mark(1))
        let first = memory.current
        let closed = memory.prepare(for: 20_001)
        #expect(closed?.bucket == first && closed?.marks == [Self.mark(1)])
        #expect(ReplayMemory.day(of: memory.current) == 20_001 && memory.current > first)
        memory.add(Self.mark(2))
        // The clock was set back.
        #expect(memory.prepare(for: 20_000)?.marks == [Self.mark(2)])
        #expect(memory.current == first + 1)
        memory.add(Self.mark(3))
        #expect(memory.candidates(Self.mark(2), since: 19_999).count == 1)
    }

    @Test("more ids than filters hold are stored by the day, and looked up there")
    func overflows() {
        var memory = ReplayMemory()
        for bucket in 1...ReplayMemory.maxFilters * ReplayFilter.maxBuckets {
            memory.load(20_000 << 20 | Int64(bucket), [], isOpen: false)
        }
        #expect(memory.candidates(Self.mark(1), since: 20_000).isEmpty)
        _ = memory.prepare(for: 20_000)
        #expect(memory.current == 20_000 << 20)
        memory.add(Self.mark(1))
        #expect(memory.candidates(Self.mark(1), since: 20_000).contains(20_000 << 20))
        #expect(memory.candidates(Self.mark(1), since: 20_001).isEmpty)
    }

    @Test("a bucket that a failed transaction has emptied is still searched, one that a committed one has is not")
    func empties() {
        var memory = ReplayMemory()
        let bucket: Int64 = 20_000 << 20 | 1
        memory.load(bucket, [Self.mark(1)], isOpen: false)
        memory.load(20_000, nil, isOpen: false)
        for isCommitted in [false, true] {
            #expect(memory.candidates(Self.mark(1), since: 0) == [bucket, 20_000])
            memory.noteEmptied(bucket)
            memory.noteEmptied(20_000)
            if isCommitted { memory.committed() } else { memory.rolledBack() }
        }
        #expect(memory.candidates(Self.mark(1), since: 0).isEmpty && memory.buckets.isEmpty)
        // Ids that were not stored in the end are not known either.
        memory.isLoaded = true
        _ = memory.prepare(for: 20_001)
        memory.add(Self.mark(2))
        memory.rolledBack()
        #expect(!memory.isLoaded && memory.candidates(Self.mark(2), since: 0).isEmpty)
    }

    // MARK: With the file

    private let brand = BrandID(trusted: "acme")
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func openWithBrand(_ engine: SQLiteEngine) async throws -> SQLiteStore {
        let store = try engine.openSQLite()
        _ = try await store.begin(now: now)
        try await store.insertBrand(
            Brand(id: brand, name: "Acme", settings: BrandSettings(), createdAt: now),
            audit: nil
        )
        return store
    }

    private func post(
        _ numbers: some Sequence<Int>,
        to store: SQLiteStore,
        at now: Timestamp,
        _ ids: inout MessageIDGenerator
    ) async throws -> [Bool] {
        let events = numbers.map { number in
            var event = AgentEvent(
                id: EventID(trusted: "0190f3c2-7f0e-7cc0-8000-\(number)"),
                type: .agentMessage,
                consumer: ConsumerID(trusted: "u-\(number % 10)")
            )
            event.text = "text"
            return PostedEvent(event, ids.next(at: now))
        }
        // Not before any start of the test.
        var turn = WriterTurn(now: now, incarnation: IncarnationID(99))
        turn.accepts = [AcceptRequest(brand: brand, messageTtlSeconds: 60, dedupeHours: 72, events: events)]
        let results = try await store.commit(turn).accepts.flatMap { $0 }
        return results.map { if case .duplicate = $0 { true } else { false } }
    }

    @Test("keys are stored in the order of their events; a bucket of the earlier version is known and gets none more")
    func order() async throws {
        let engine = try SQLiteEngine()
        var ids = MessageIDGenerator()
        var store = try await openWithBrand(engine)
        func buckets() async throws -> [[Int64]] {
            // By bucket: the first number, the last one, and how many.
            let sql = """
                SELECT day, min(substr(hex(event), 1, 4)), max(substr(hex(event), 1, 4)), count(*) FROM dedupe \
                WHERE length(event) = 18 AND typeof(event) = 'blob' GROUP BY day
                """
            return try await store.pool.read { db in
                try db.prepare(once: sql).all { row in
                    let numbers: [String] = [try row.value(1), try row.value(2)]
                    return try [row.value(0)] + numbers.map { Int64($0, radix: 16) ?? -1 } + [row.value(3)]
                }
            }
        }
        func reopen() async throws {
            await store.close()
            store = try engine.openSQLite()
            _ = try await store.begin(now: now)
        }
        #expect(try await post(0..<300, to: store, at: now, &ids).allSatisfy { !$0 })
        #expect(try await post([7, 300, 300], to: store, at: now, &ids) == [true, false, true])
        let first = try #require(try await buckets().first)
        #expect(Array(first.dropFirst()) == [0, 300, 301])
        // As the earlier version stored them.
        try await store.pool.write { db in
            try db.execute(
                sql: """
                    UPDATE dedupe SET event = substr(event, 3);
                    INSERT INTO dedupe_unnumbered_buckets VALUES (\(first[0]));
                    """
            )
        }
        try await reopen()
        #expect(try await post([0, 299, 300, 301], to: store, at: now, &ids) == [true, true, true, false])
        #expect(try await post(302..<700, to: store, at: now, &ids).allSatisfy { !$0 })
        #expect(try await buckets() == [[first[0] + 1, 0, 398, 399]])
        // An app's request, as long as a key with a number, and ids that were removed.
        try await store.pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO dedupe (day, brand, event, body_hash)
                        SELECT \(first[0] + 1), key, char(30) || '1' || char(31) || 'aaaaaaaaaaaaaaa', 0 FROM brands;
                    DELETE FROM dedupe WHERE day = \(first[0] + 1) AND typeof(event) = 'blob'
                        AND substr(hex(event), 1, 4) IN ('0003', '000A', '018E');
                    """
            )
        }
        try await reopen()
        // Events 304, 311 and 699.
        let known = try await post(0..<701, to: store, at: now, &ids)
        #expect(known.indices.filter { !known[$0] } == [304, 311, 699, 700])
        try await reopen()
        #expect(try await post(0..<701, to: store, at: now, &ids).allSatisfy(\.self))
        await store.close()
        withExtendedLifetime(engine) {}
    }

    @Test("ids of full and of other buckets are known after restarts, until their days are over")
    func restarts() async throws {
        let engine = try SQLiteEngine()
        var ids = MessageIDGenerator()
        var store = try await openWithBrand(engine)
        let count = ReplayMemory.bucketSize + 1000
        for start in stride(from: 0, to: count, by: 2000) {
            let isKnown = try await post(start..<min(start + 2000, count), to: store, at: now, &ids)
            #expect(!isKnown.contains(true))
        }
        let probes = stride(from: 0, to: count, by: 97)
        for days in 0..<3 {
            await store.close()
            store = try engine.openSQLite()
            let time = now.adding(seconds: Int64(days) * 86_400)
            _ = try await store.begin(now: time)
            // Ids are added to the earlier bucket on its day.
            let isKnown = try await post([-1 - days], to: store, at: time, &ids)
            #expect(isKnown == [false])
            #expect(try await post(probes, to: store, at: time, &ids).allSatisfy(\.self))
        }
        let marks = try await store.pool.read { try Int64.fetchAll($0, sql: "SELECT bucket FROM dedupe_marks") }
        let buckets = try await store.pool.read {
            try $0.prepare(once: "SELECT day, count(*) FROM dedupe GROUP BY day").all { row -> [Int64]? in
                [try row.value(0), try row.value(1)]
            }
        }
        #expect(buckets.map { $0[1] } == [Int64(ReplayMemory.bucketSize), 1001, 1, 1])
        #expect(marks == buckets.prefix(3).map { $0[0] })
        // Five days later all are removed, with their marks.
        let later = now.adding(seconds: 5 * 86_400)
        var batch = HousekeepingBatch(work: .eventIDs(keepHours: [brand: 72]), now: later, limit: 500)
        repeat { batch.position = try await store.runHousekeeping(batch).next } while batch.position != nil
        let left = try await store.pool.read { try Int64.fetchAll($0, sql: "SELECT day FROM dedupe") }
        #expect(left == [buckets[3][0]])
        #expect(try await store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM dedupe_marks") } == 0)
        #expect(try await post([0, 5], to: store, at: later, &ids) == [false, false])
        await store.close()
        withExtendedLifetime(engine) {}
    }
}
