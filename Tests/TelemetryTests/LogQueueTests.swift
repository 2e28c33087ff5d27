import Dispatch
import Glibc
import Logging
import Synchronization
import Telemetry
import Testing

@Suite("Queue of log lines", .timeLimit(.minutes(5)))
struct LogQueueTests {
    /// A sink that blocks in its first line until it is opened.
    private final class Gate: LogSink {
        private let lines = Mutex<[String]>([])
        private let isOpen = Mutex(false)

        func write(_ line: [UInt8], level _: Logger.Level) {
            lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            while !isOpen.withLock({ $0 }) { usleep(500) }
        }

        func open() { isOpen.withLock { $0 = true } }

        var all: [String] { lines.withLock { $0 } }
    }

    private static func limits(lines: Int, bytes: Int = 1 << 20, reserved: Int = 0) -> LogQueue.Limits {
        var limits = LogQueue.Limits()
        limits.lines = lines
        limits.bytes = bytes
        limits.reservedLines = reserved
        limits.reservedBytes = reserved * 100
        return limits
    }

    private static func queue(to sink: any LogSink, _ limits: LogQueue.Limits = .init()) -> LogQueue {
        LogQueue(to: sink, limits: limits) { Array("dropped \($0)\n".utf8) }
    }

    /// Adds the first line and waits until the sink blocks in it.
    private static func block(_ queue: LogQueue, _ gate: Gate) {
        queue.write(Array("first\n".utf8), level: .info)
        while gate.all.isEmpty { usleep(500) }
    }

    @Test("lines are written in the order in which they were added")
    func order() {
        let gate = Gate()
        gate.open()
        let queue = Self.queue(to: gate)
        let lines = (0..<2000).map { "line \($0)\n" }
        for line in lines { queue.write(Array(line.utf8), level: .info) }
        #expect(queue.flush(within: .seconds(60)))
        #expect(gate.all == lines && queue.droppedLines == 0)
    }

    @Test("a full queue drops lines, counts them, and announces them at their place")
    func dropping() {
        let gate = Gate()
        let queue = Self.queue(to: gate, Self.limits(lines: 4))
        Self.block(queue, gate)
        for index in 1...10 { queue.write(Array("\(index)\n".utf8), level: .info) }
        #expect(queue.droppedLines == 7)
        #expect(!queue.flush(within: .milliseconds(20)))
        gate.open()
        #expect(queue.flush(within: .seconds(60)))
        queue.write(Array("last\n".utf8), level: .info)
        #expect(queue.flush(within: .seconds(60)))
        #expect(gate.all == ["first\n", "1\n", "2\n", "3\n", "dropped 7\n", "last\n"])
    }

    @Test("the limit is of bytes too, and a line beyond it is dropped even from an empty queue")
    func bytes() {
        let gate = Gate()
        gate.open()
        let queue = Self.queue(to: gate, Self.limits(lines: 10, bytes: 8))
        queue.write(Array("too long\n".utf8), level: .info)
        #expect(queue.flush(within: .seconds(60)))
        #expect(gate.all == ["dropped 1\n"])
        queue.write(Array("short\n".utf8), level: .info)
        #expect(queue.flush(within: .seconds(60)))
        #expect(gate.all == ["dropped 1\n", "short\n"] && queue.droppedLines == 1)
    }

    @Test("lines of level error are taken when others are dropped, up to the reserve")
    func errors() {
        let gate = Gate()
        let queue = Self.queue(to: gate, Self.limits(lines: 2, reserved: 2))
        Self.block(queue, gate)
        for index in 1...3 { queue.write(Array("info \(index)\n".utf8), level: .info) }
        for index in 1...3 { queue.write(Array("error \(index)\n".utf8), level: .error) }
        gate.open()
        #expect(queue.flush(within: .seconds(60)))
        #expect(
            gate.all == ["first\n", "info 1\n", "dropped 2\n", "error 1\n", "error 2\n", "dropped 1\n"]
        )
        #expect(queue.droppedLines == 3)
    }

    @Test("a pipe that nobody reads blocks no caller; once it is read, each line is there or counted")
    func pipe() throws {
        var ends: [Int32] = [0, 0]
        let result = Glibc.pipe(&ends)
        try #require(result == 0)
        let (reader, writer) = (ends[0], ends[1])
        let queue = Self.queue(to: DescriptorSink(writer), Self.limits(lines: 100))
        let start = ContinuousClock.now
        let line = Array((String(repeating: "x", count: 1023) + "\n").utf8)
        // A pipe takes 64 of them.
        for _ in 0..<1000 { queue.write(line, level: .info) }
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(queue.droppedLines > 0)
        #expect(!queue.flush(within: .milliseconds(20)))
        let read = Mutex<[UInt8]>([])
        let isRead = DispatchSemaphore(value: 0)
        DispatchQueue(label: "reader").async {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Glibc.read(reader, &buffer, buffer.count)
                guard count > 0 else { break }
                read.withLock { $0 += buffer[..<count] }
            }
            isRead.signal()
        }
        #expect(queue.flush(within: .seconds(60)))
        close(writer)
        isRead.wait()
        close(reader)
        let lines = read.withLock { String(decoding: $0, as: UTF8.self) }.split(separator: "\n")
        let dropped = lines.compactMap { $0.hasPrefix("dropped ") ? Int64($0.dropFirst(8)) : nil }.reduce(0, +)
        #expect(dropped == queue.droppedLines)
        #expect(Int64(lines.count { $0.hasPrefix("x") }) + dropped == 1000)
    }
}
