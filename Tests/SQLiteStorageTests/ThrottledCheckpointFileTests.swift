import Foundation
import GRDB
import GRDBSQLite
import Testing

@testable import SQLiteStorage

@Suite("Throttled checkpoints", .timeLimit(.minutes(15)))
struct ThrottledCheckpointFileTests {
    private typealias Fixture = FileAccessFixture

    private let fixture: FileAccessFixture

    init() throws { fixture = try FileAccessFixture() }

    @discardableResult
    private func checkpoint(_ queue: DatabaseQueue, _ kind: Database.CheckpointMode) throws -> Int {
        try queue.writeWithoutTransaction { try $0.checkpoint(kind).checkpointedFrameCount }
    }

    @Test("after every 64 pages they are synced, and a pause follows that is at least as long as the sync")
    func pace() throws {
        let (checkpointer, calls) = try fixture.openThrottled("a")
        let writer = try fixture.open("a")
        try writer.write { try Fixture.insert(1...300, $0) }
        calls.clear()
        let moved = try checkpoint(checkpointer, .passive)
        let frames = try fixture.frames("a").count
        #expect(moved == frames)
        let pages = calls.writes.count
        try #require(pages > 4 * 64)
        var expected: [FileCalls.Call] = []
        for page in 1...pages {
            expected.append(.write(bytes: 4096))
            if page.isMultiple(of: 64) { expected += [.sync, .pause] }
        }
        // SQLite's own, at the end of a checkpoint.
        expected.append(.sync)
        #expect(calls.all == expected)
        let isLongEnough = zip(calls.pauses, calls.syncs).allSatisfy { pause, sync in pause >= sync }
        #expect(isLongEnough)
    }

    @Test("the database is the same, byte for byte, as without the throttle")
    func samePages() throws {
        let writer = try fixture.open("a")
        try writer.write { try Fixture.insert(1...300, $0) }
        try writer.write { try $0.execute(sql: "DELETE FROM t WHERE k % 3 = 0") }
        // The same WAL twice.
        let (plain, throttled) = (try fixture.copied("a"), try fixture.copied("a"))
        let other = try fixture.open(plain)
        let (checkpointer, calls) = try fixture.openThrottled(throttled)
        try checkpoint(other, .truncate)
        try checkpoint(checkpointer, .truncate)
        #expect(calls.pauses.count >= 4)
        let isSame = try fixture.bytes(plain) == fixture.bytes(throttled)
        #expect(isSame)
        #expect(try fixture.bytes(throttled).count > 300 * 4096)
        #expect(try fixture.bytes(throttled + "-wal").isEmpty)
    }

    @Test("an error of a write or a sync fails the checkpoint, and the next one moves all", arguments: [true, false])
    func errors(isSync: Bool) throws {
        let (checkpointer, calls) = try fixture.openThrottled("a")
        let writer = try fixture.open("a")
        try writer.write { try Fixture.insert(1...300, $0) }
        // The first sync is the throttle's: SQLite's own is at the checkpoint's end.
        if isSync { calls.failNextSync(SQLITE_IOERR) } else { calls.failNextWrite(SQLITE_FULL) }
        #expect(throws: DatabaseError.self) { try checkpoint(checkpointer, .passive) }
        #expect(try fixture.recovered("a") == Fixture.texts(1...300))
        try checkpoint(checkpointer, .truncate)
        #expect(try fixture.bytes("a-wal").isEmpty)
        #expect(try fixture.recovered("a") == Fixture.texts(1...300))
    }

    @Test("the file is closed with its connection")
    func closing() throws {
        let (queue, _) = try fixture.openThrottled("a")
        let isOpen = try fixture.openFiles().contains { $0.hasSuffix("/a") }
        #expect(isOpen)
        try queue.close()
        #expect(try fixture.openFiles() == [])
    }
}
