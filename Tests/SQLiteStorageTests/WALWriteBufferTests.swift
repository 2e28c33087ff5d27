import Foundation
import GRDB
import GRDBSQLite
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite("The WAL's write buffer", .timeLimit(.minutes(15)))
struct WALWriteBufferTests {
    private typealias Fixture = FileAccessFixture

    private let fixture: FileAccessFixture

    init() throws { fixture = try FileAccessFixture() }

    /// Returns the number of bytes that wait in a connection's buffer.
    private func waiting(_ db: Database) throws -> Int {
        FileMethods<WALWriteBuffer>.of(try db.file(SQLITE_FCNTL_JOURNAL_POINTER))?.pointee.state.count ?? 0
    }

    /// Inserts rows until frames of the transaction wait in the buffer, because the page cache is full.
    ///
    /// - Returns: The last key.
    private func insertUntilWaiting(from first: Int, _ db: Database) throws -> Int {
        var key = first
        try Fixture.insert(key...key, db)
        while try waiting(db) == 0, key < first + 2000 {
            key += 1
            try Fixture.insert(key...key, db)
        }
        #expect(try waiting(db) > 0)
        return key
    }

    @Test("a commit is in the WAL file when it returns")
    func committed() throws {
        let (writer, _) = try fixture.openBuffered("a")
        try writer.write { try Fixture.insert(1...10, $0) }
        #expect(try fixture.recovered("a") == Fixture.texts(1...10))
        try writer.write { try $0.execute(sql: "DELETE FROM t WHERE k > 5") }
        #expect(try fixture.recovered("a") == Fixture.texts(1...5))
    }

    @Test("a commit that fits the buffer is one write and one sync, a larger one a write for each 31 frames")
    func pieces() throws {
        let (writer, calls) = try fixture.openBuffered("a")
        for keys in [1...10, 11...200] {
            let before = try fixture.frames("a").count
            calls.clear()
            try writer.write { try Fixture.insert(keys, $0) }
            let frames = try fixture.frames("a").count - before
            let writes = calls.writes
            #expect(frames >= keys.count)
            #expect(writes.reduce(0, +) == frames * Fixture.frameBytes)
            #expect(writes.count == (frames + 30) / 31 && writes.allSatisfy { $0 <= 0x1FFFF })
            #expect(calls.all.count == writes.count + 1 && calls.all.last == .sync)
        }
    }

    @Test("the WAL has the same frames in the same order as without the buffer, also after it restarts")
    func sameFrames() throws {
        let (buffered, _) = try fixture.openBuffered("buffered")
        let plain = try fixture.open("plain")
        for (number, keys) in [1...200, 201...230].enumerated() {
            for writer in [buffered, plain] {
                try writer.write { try Fixture.insert(keys, $0) }
                try writer.write { db in
                    try db.execute(sql: "UPDATE t SET v = printf('%0*d', 3000, k + 1000) WHERE k % 4 = 0")
                }
                try writer.write { try $0.execute(sql: "DELETE FROM t WHERE k % 3 = 0") }
            }
            let (frames, others) = (try fixture.frames("buffered"), try fixture.frames("plain"))
            #expect(frames.count > (number == 0 ? 200 : 30))
            let isSame = frames == others
            #expect(isSame)
            #expect(try fixture.recovered("buffered") == fixture.recovered("plain"))
            // The next commit begins the WAL again.
            for writer in [buffered, plain] { _ = try writer.writeWithoutTransaction { try $0.checkpoint(.passive) } }
        }
    }

    @Test("a transaction that is larger than the page cache reads its pages from the WAL, and writes some again")
    func spilling() throws {
        let (writer, _) = try fixture.openBuffered("a", cachePages: 10)
        let kept = Fixture.texts((1...300).filter { !$0.isMultiple(of: 3) }, adding: 1000)
        try writer.write { db in
            try Fixture.insert(1...300, db)
            #expect(try Fixture.rows(db) == Fixture.texts(1...300))
            try db.execute(sql: "UPDATE t SET v = printf('%0*d', 3000, k + 1000)")
            try db.execute(sql: "DELETE FROM t WHERE k % 3 = 0")
            #expect(try Fixture.rows(db) == kept)
        }
        #expect(try fixture.rows(writer) == kept)
        #expect(try fixture.recovered("a") == kept)
    }

    @Test("readers see nothing of a transaction before it is committed, and all of it afterwards")
    func readers() throws {
        let (writer, _) = try fixture.openBuffered("a", cachePages: 10)
        let reader = try fixture.open("a")
        try writer.write { try Fixture.insert(1...10, $0) }
        let size = try fixture.bytes("a-wal").count
        try writer.write { db in
            try Fixture.insert(11...300, db)
            #expect(try fixture.bytes("a-wal").count > size + 200 * Fixture.frameBytes, "its frames are in the WAL")
            #expect(try fixture.rows(reader) == Fixture.texts(1...10))
            #expect(try fixture.recovered("a") == Fixture.texts(1...10))
        }
        #expect(try fixture.rows(reader) == Fixture.texts(1...300))
    }

    @Test("a transaction that is rolled back while frames of it wait leaves nothing")
    func rolledBack() throws {
        let (writer, _) = try fixture.openBuffered("a", cachePages: 10)
        try writer.write { try Fixture.insert(1...10, $0) }
        try writer.writeWithoutTransaction { db in
            try db.inTransaction {
                _ = try insertUntilWaiting(from: 100, db)
                return .rollback
            }
        }
        #expect(throws: DatabaseError.self) {
            try writer.write { db in
                let last = try insertUntilWaiting(from: 100, db)
                try Fixture.insert(last...last, db)
            }
        }
        #expect(try fixture.rows(writer) == Fixture.texts(1...10))
        #expect(try fixture.recovered("a") == Fixture.texts(1...10))
        try writer.write { try Fixture.insert(11...20, $0) }
        #expect(try fixture.recovered("a") == Fixture.texts(1...20))
        _ = try writer.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        #expect(try fixture.bytes("a-wal").isEmpty)
        try writer.write { try Fixture.insert(21...30, $0) }
        #expect(try fixture.bytes("a-wal").count == 32 + fixture.frames("a").count * Fixture.frameBytes)
        #expect(try fixture.recovered("a") == Fixture.texts(1...30))
    }

    @Test("a transaction whose frames cannot be written fails, and the next one succeeds", arguments: [10, 200])
    func failedWrite(count: Int) throws {
        let (writer, calls) = try fixture.openBuffered("a")
        try writer.write { try Fixture.insert(1...10, $0) }
        calls.failNextWrite(SQLITE_FULL)
        #expect(throws: DatabaseError.self) { try writer.write { try Fixture.insert(11...(10 + count), $0) } }
        #expect(try fixture.rows(writer) == Fixture.texts(1...10))
        #expect(try fixture.recovered("a") == Fixture.texts(1...10))
        try writer.write { try Fixture.insert(11...20, $0) }
        #expect(try fixture.recovered("a") == Fixture.texts(1...20))
    }

    @Test("a transaction that cannot be synced fails")
    func failedSync() throws {
        let (writer, calls) = try fixture.openBuffered("a")
        calls.failNextSync(SQLITE_IOERR)
        #expect(throws: DatabaseError.self) { try writer.write { try Fixture.insert(1...10, $0) } }
        #expect(try fixture.rows(writer) == [])
    }

    @Test("a checkpoint while frames wait moves what is committed, and nothing else")
    func checkpointWhileWaiting() throws {
        let (writer, _) = try fixture.openBuffered("a", cachePages: 10)
        let (checkpointer, _) = try fixture.openThrottled("a")
        try writer.write { try Fixture.insert(1...100, $0) }
        let frames = try fixture.frames("a").count
        let last = try writer.write { db in
            let last = try insertUntilWaiting(from: 101, db)
            let count = try waiting(db)
            let moved = try checkpointer.writeWithoutTransaction { try $0.checkpoint(.passive).checkpointedFrameCount }
            #expect(moved == frames)
            #expect(try waiting(db) == count)
            return last
        }
        #expect(try fixture.rows(checkpointer) == Fixture.texts(1...last))
        #expect(try fixture.recovered("a") == Fixture.texts(1...last))
        _ = try checkpointer.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        #expect(try fixture.bytes("a-wal").isEmpty)
        #expect(try fixture.recovered("a") == Fixture.texts(1...last))
        try writer.write { try Fixture.insert((last + 1)...(last + 10), $0) }
        #expect(try fixture.recovered("a") == Fixture.texts(1...(last + 10)))
    }

    @Test("the file has what was written to it, whatever the sizes, places and order of the calls", arguments: 1...4)
    func walk(seed: UInt64) throws {
        let (queue, _) = try fixture.openBuffered("a")
        try queue.inDatabase { db in
            // SQLite needs nothing of the WAL any more.
            _ = try db.checkpoint(.truncate)
            try walk(try db.file(SQLITE_FCNTL_JOURNAL_POINTER), seed)
            _ = try db.checkpoint(.truncate)
        }
        try queue.close()
    }

    /// Calls a file's methods in random order, and compares each result with an array's.
    private func walk(_ file: UnsafeMutablePointer<sqlite3_file>, _ seed: UInt64) throws {
        let methods: UnsafePointer<sqlite3_io_methods> = file.pointee.pMethods
        var random = SplitMix(seed: seed)
        let noise = (0..<140_000).map { _ in UInt8.random(in: 1...255, using: &random) }
        var expected: [UInt8] = []
        /// Where the last write ended.
        var end = 0
        for _ in 0..<400 {
            var code = SQLITE_OK
            var isSame = true
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                var size: sqlite3_int64 = -1
                code = methods.pointee.xFileSize(file, &size)
                isSame = size == expected.count
            case 1:
                let size = Int.random(in: (expected.count / 2)...expected.count, using: &random)
                code = methods.pointee.xTruncate(file, sqlite3_int64(size))
                expected.removeLast(expected.count - size)
            case 2:
                code = methods.pointee.xSync(file, SQLITE_SYNC_NORMAL)
                isSame = try fixture.bytes("a-wal") == Data(expected)
            case 3...4 where !expected.isEmpty:
                let start = Int.random(in: 0..<expected.count, using: &random)
                let size = Int.random(in: 1...min(70_000, expected.count - start), using: &random)
                var read = [UInt8](repeating: 0, count: size)
                code = read.withUnsafeMutableBytes {
                    methods.pointee.xRead(file, $0.baseAddress, Int32(size), sqlite3_int64(start))
                }
                isSame = read[...] == expected[start..<(start + size)]
            default:
                let sizes = [24, 32, 4096, 4096, 4096, 65_536, 0x1FFFF]
                let size = sizes.randomElement(using: &random) ?? 24
                let isNext = Int.random(in: 0..<6, using: &random) > 0 && end < 1_000_000
                let start = isNext ? end : Int.random(in: 0...300_000, using: &random)
                let from = Int.random(in: 0...(noise.count - size), using: &random)
                let bytes = noise[from..<(from + size)]
                code = bytes.withUnsafeBytes {
                    methods.pointee.xWrite(file, $0.baseAddress, Int32(size), sqlite3_int64(start))
                }
                end = start + size
                // A file has zeros where nothing was written.
                if expected.count < end { expected += [UInt8](repeating: 0, count: end - expected.count) }
                expected.replaceSubrange(start..<end, with: bytes)
            }
            try #require(code == SQLITE_OK && isSame)
        }
    }

    @Test("nothing is buffered where SQLite pads the WAL, nor without a WAL")
    func notInstalled() throws {
        let padded = try fixture.open("a").inDatabase { db in
            FileMethods<Void>.install(on: try db.file(SQLITE_FCNTL_JOURNAL_POINTER), state: ()) { methods in
                methods.xDeviceCharacteristics = { _ in 0 }
                methods.xClose = { FileMethods<Void>.close($0) }
            }
            return WALWriteBuffer.install(on: try db.handle())
        }
        #expect(!padded)
        let rollback = try DatabaseQueue(path: fixture.path("b")).inDatabase { db in
            WALWriteBuffer.install(on: try db.handle())
        }
        #expect(!rollback)
    }

    @Test("the file is closed with its connection")
    func closing() throws {
        let (writer, _) = try fixture.openBuffered("a")
        try writer.write { try Fixture.insert(1...10, $0) }
        let isOpen = try fixture.openFiles().contains { $0.hasSuffix("/a-wal") }
        #expect(isOpen)
        try writer.close()
        #expect(try fixture.openFiles() == [])
        let again = try fixture.open("a")
        #expect(try fixture.rows(again) == Fixture.texts(1...10))
    }
}
