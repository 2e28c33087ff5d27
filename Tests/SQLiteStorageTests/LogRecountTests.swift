import Foundation
import GRDB
import GatewayModel
import GatewayStorage
import StorageContract
import Telemetry
import Testing

@testable import SQLiteStorage

@Suite("Counts by providers' own words", .timeLimit(.minutes(10)))
struct LogRecountTests {
    private static let travel = BrandID(trusted: "travel")
    private static let bank = BrandID(trusted: "bank")
    private static let now = Timestamp(milliseconds: 1_795_399_100_000)
    private let engine: SQLiteEngine

    init() throws {
        engine = try SQLiteEngine()
        try engine.load(fixture: "data-0001")
    }

    private func finished(_ store: SQLiteStore, _ brand: BrandID) async throws -> [String: Int64] {
        let stats = try await store.deliveryStats(brand: brand, window: StatsWindow(seconds: 3600), now: Self.now)
        return stats.finished.filter { $0.reason != nil }.reduce(into: [:]) { counts, count in
            counts["\(count.provider) \(count.state) \(count.reason ?? "")", default: 0] += count.count
        }
    }

    /// Checks the counts of every brand in the hour, and that no word of a provider is stored.
    private func check(words: ClosedRange<Int>) async throws {
        let store = try engine.openSQLite()
        #expect(try await finished(store, Self.travel) == ["apns failed other": 3])
        #expect(try await finished(store, Self.bank) == ["apns failed BadExpirationDate": 3])
        let taken = try await store.deliveryStats(brand: Self.bank, window: StatsWindow(seconds: 3600), now: Self.now)
        #expect(
            taken.finished.reduce(0) { $0 + $1.count } == 11 && taken.reports.taken == 7 && taken.reports.tapped == 1
        )
        #expect(taken.allLatency.count == 11)
        let campaign = try await store.campaign(brand: Self.travel, id: CampaignID(trusted: "spring"))
        #expect(campaign?.finished.map(\.reason) == [nil, nil])
        let stored = try await store.pool.read {
            try String.fetchAll($0, sql: "SELECT word FROM log_words ORDER BY id")
        }
        #expect(words.contains(stored.count), "\(stored)")
        #expect(stored.allSatisfy { !$0.hasPrefix("MadeUp") && !$0.hasPrefix("filler") })
        let counted = try await store.pool.read { try String.fetchSet($0, sql: "SELECT word FROM counted_reasons") }
        #expect(counted == ReasonLabel.known)
        // Rows that are removed from the log are subtracted from the counts: no count is left without rows.
        let before = [Self.travel: Self.now, Self.bank: Self.now]
        var batch = HousekeepingBatch(work: .deliveries(before: before), now: Self.now, limit: 100)
        repeat { batch.position = try await store.runHousekeeping(batch).next } while batch.position != nil
        let left = try await store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM log_counts") }
        #expect(left == 0)
        await store.close()
    }

    @Test("data of the first version is recounted by labels")
    func firstVersion() async throws {
        try await check(words: 6...12)
    }

    @Test("reasons that count as other because one brand's words used up the numbers are recounted")
    func usedUp() async throws {
        // The words of the second brand came too late: they were counted under "other", states included.
        try await DatabaseQueue(path: engine.path).write { db in
            let late = ["failed", "tapped", "BadExpirationDate"]
            var numbers: [String: UInt16] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT word, id FROM log_words") { numbers[row[0]] = row[1] }
            for number in 0..<(4000 - numbers.count + late.count) {
                try db.execute(sql: "INSERT INTO log_words (word) VALUES (?)", arguments: ["filler\(number)"])
            }
            try db.execute(sql: "INSERT INTO log_words (word) VALUES ('other')")
            let other = UInt16(clamping: db.lastInsertedRowID)
            let lost = late.compactMap { numbers[$0] }
            #expect(lost.count == late.count)
            for row in try Row.fetchAll(db, sql: "SELECT brand, unit, start, counts FROM log_counts") {
                var counts = LogCounts()
                for (key, count) in LogCounts(bytes: [UInt8](row[3] as Data)).counts {
                    var key = key
                    if lost.contains(key.state) { key.state = other }
                    if key.state != 0, lost.map(UInt32.init).contains(key.reason) { key.reason = UInt32(other) }
                    counts.add(key, count)
                }
                try db.execute(
                    sql: "UPDATE log_counts SET counts = ? WHERE brand = ? AND unit = ? AND start = ?",
                    arguments: [Data(counts.bytes), row[0], row[1], row[2]] as StatementArguments
                )
            }
            for word in late { try db.execute(sql: "DELETE FROM log_words WHERE word = ?", arguments: [word]) }
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM log_words") == 4001)
        }
        try await check(words: 6...12)
    }

    @Test(
        "a newly documented reason is counted by its word from the next start on, a no longer documented one is not"
    )
    func otherReasons() async throws {
        await (try engine.openSQLite()).close()
        try await DatabaseQueue(path: engine.path).write { db in
            // As written by a version with one reason more, and one less.
            try db.execute(sql: "INSERT INTO counted_reasons (word) VALUES ('MadeUp9')")
            try db.execute(sql: "DELETE FROM counted_reasons WHERE word = 'BadExpirationDate'")
        }
        try await check(words: 6...12)
    }

    @Test("campaigns keep the counts of deliveries that have left the log")
    func campaign() async throws {
        try await DatabaseQueue(path: engine.path).write { db in
            let words = try Row.fetchAll(db, sql: "SELECT word, id FROM log_words")
            let numbers = Dictionary(uniqueKeysWithValues: words.map { ($0[0] as String, $0[1] as UInt16) })
            var counts = LogCounts()
            for (word, count) in [("MadeUp8", 7), ("BadExpirationDate", 5)] as [(String, Int64)] {
                let (provider, state) = (try #require(numbers["apns"]), try #require(numbers["failed"]))
                counts.add(.init(provider: provider, state: state, reason: UInt32(try #require(numbers[word]))), count)
            }
            try db.execute(sql: "UPDATE campaigns SET counts = ?", arguments: [Data(counts.bytes)])
        }
        let store = try engine.openSQLite()
        let campaign = try await store.campaign(brand: Self.travel, id: CampaignID(trusted: "spring"))
        let failed = campaign?.finished.filter { $0.state == .failed }
        #expect(
            failed?.reduce(into: [:]) { $0[$1.reason, default: 0] += $1.count } == ["other": 7, "BadExpirationDate": 5]
        )
        await store.close()
    }

    @Test("data that is counted by this version's reasons is not recounted")
    func again() async throws {
        let store = try engine.openSQLite()
        let isAgain = try await store.write { try $0.recountReasons() }
        #expect(!isAgain)
        await store.close()
    }
}
