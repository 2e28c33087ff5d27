internal import Dispatch
package import Logging
import Synchronization

/// A bounded queue of log lines in front of a sink that may block: the caller never waits for it.
///
/// One thread at a time writes the lines, in the order in which they were added. When the queue is full, lines are
/// dropped and counted until half of it is free; then one line announces how many are missing at its place. Lines of
/// level error and above have a reserve, so that they are written even then. Usable from any thread.
package final class LogQueue: LogSink {
    /// The limits of the lines that wait, including those that are being written.
    package struct Limits: Sendable {
        /// The most lines, at least 1.
        package var lines = 8192
        /// The most bytes, at least 1: 4 MiB.
        package var bytes = 4 << 20
        /// The lines of level error and above that may wait beyond the limit.
        package var reservedLines = 1024
        /// The bytes of lines of level error and above that may wait beyond the limit: 512 KiB.
        package var reservedBytes = 512 << 10

        /// The defaults.
        package init() {}
    }

    /// Renders the line that announces dropped lines; called on the writing thread.
    package typealias Announcement = @Sendable (_ dropped: Int) -> [UInt8]

    private enum Entry {
        case line([UInt8], Logger.Level)
        /// The number of lines that are missing here.
        case dropped(Int)
    }

    private struct State {
        var waiting: [Entry] = []
        /// The lines and bytes that wait or are being written.
        var lines = 0
        var bytes = 0
        /// Whether lines are dropped until half of the queue is free.
        var isFull = false
        /// The lines that were dropped since the last entry.
        var missing = 0
        /// Whether the writing thread takes what is added.
        var isWriting = false

        mutating func add(_ line: [UInt8], _ level: Logger.Level, _ limits: Limits) -> Bool {
            if isFull, lines <= limits.lines / 2, bytes <= limits.bytes / 2 { isFull = false }
            let hasRoom = !isFull && lines < limits.lines && bytes + line.count <= limits.bytes
            let hasReserve =
                level >= .error && lines < limits.lines + limits.reservedLines
                && bytes + line.count <= limits.bytes + limits.reservedBytes
            guard hasRoom || hasReserve else {
                isFull = true
                missing += 1
                return false
            }
            announce()
            lines += 1
            bytes += line.count
            waiting.append(.line(line, level))
            return true
        }

        mutating func announce() {
            guard missing > 0 else { return }
            waiting.append(.dropped(missing))
            missing = 0
        }
    }

    private let sink: any LogSink
    private let limits: Limits
    private let announcement: Announcement
    private let thread = DispatchQueue(label: "switchboard.log")
    private let state = Mutex(State())
    private let dropped = Atomic<Int64>(0)

    /// Creates an empty queue of a sink that may block; `announcement` renders the line that announces dropped lines.
    package init(
        to sink: any LogSink = DescriptorSink.standardError,
        limits: Limits = Limits(),
        announcement: @escaping Announcement
    ) {
        self.sink = sink
        self.limits = limits
        self.announcement = announcement
    }

    /// The number of lines that were dropped since the start.
    package var droppedLines: Int64 { dropped.load(ordering: .relaxed) }

    /// Adds one line of UTF-8 with its line feed, or drops it when the queue is full; never waits for the sink.
    package func write(_ line: [UInt8], level: Logger.Level) {
        let (isTaken, mustStart) = state.withLock { state in
            let isTaken = state.add(line, level, limits)
            defer { state.isWriting = true }
            return (isTaken, !state.isWriting)
        }
        if !isTaken { dropped.wrappingAdd(1, ordering: .relaxed) }
        if mustStart { thread.async { self.writeWaiting() } }
    }

    /// Waits until the lines that were added before are written; returns whether they were in time.
    ///
    /// It blocks the calling thread: for the end of a process. A sink that blocks for longer than `limit` keeps the
    /// remaining lines.
    @discardableResult
    package func flush(within limit: Duration) -> Bool {
        let done = DispatchSemaphore(value: 0)
        // One block at a time: after the one that writes. The caller that starts it may not have come so far.
        thread.async {
            self.writeWaiting()
            done.signal()
        }
        let (seconds, attoseconds) = limit.components
        let milliseconds = Int(clamping: seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
        return done.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
    }

    private func writeWaiting() {
        while true {
            let entries = state.withLock { state in
                // Nothing else waits: there is room.
                if state.waiting.isEmpty { state.announce() }
                defer { state.waiting = [] }
                if state.waiting.isEmpty { state.isWriting = false }
                return state.waiting
            }
            guard !entries.isEmpty else { return }
            for entry in entries { write(entry) }
        }
    }

    private func write(_ entry: Entry) {
        switch entry {
        case .line(let line, let level):
            sink.write(line, level: level)
            state.withLock { state in
                state.lines -= 1
                state.bytes -= line.count
            }
        case .dropped(let count):
            sink.write(announcement(count), level: .warning)
        }
    }
}
