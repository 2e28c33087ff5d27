import Foundation
import GatewayHTTP
import GatewayModel
import NIOCore
import ProcessHarness

/// Bodies of events, read as the route reads them, beside Foundation's `JSONDecoder`, which checks nothing.
///
/// Reading is JSON, CloudEvents' envelopes, the rules for each member, and the values that are stored.
/// An array is looked at to its end before its first piece is given, and that is counted too.
struct ParseScenario {
    /// How many rounds; the forms take turns.
    var rounds: Int
    /// What must be reached: CPU an event.
    var microsecondsLimit = 3.0
    /// What must be reached: the most that reading 10,000 events adds to the heap beside the body, as a multiple of what
    /// 500 add.
    var growthLimit = 1.1

    private static let events = 10_000

    /// Runs in this process, on one thread.
    ///
    /// - Returns: The figures.
    /// - Throws: When an event is refused.
    func run() throws -> Report {
        var report = Report()
        let bodies = EventForms.bodies(count: Self.events)
        let reader = EventReader()
        var costs = [[Double]](repeating: [], count: bodies.count + 1)
        // The first round pays for what is new, and is not counted.
        for round in 0...rounds {
            for (place, body) in bodies.enumerated() {
                let buffer = ByteBuffer(bytes: body.bytes)
                let cost = try cpu { try read(buffer, body.format, reader) }
                if round > 0 { costs[place].append(cost) }
            }
            let cost = try cpu { try decode(bodies[0].bytes) }
            if round > 0 { costs[bodies.count].append(cost) }
        }
        let name = "parse, 10,000 events of 450 bytes"
        for (place, body) in bodies.enumerated() {
            report.add(name, "CPU an event, \(body.name)", costs[place].median, "us", atMost: microsecondsLimit)
        }
        report.add(name, "CPU an event, Foundation's JSONDecoder", costs[bodies.count].median, "us")
        report.add(name, "JSONDecoder / NDJSON", costs[bodies.count].median / costs[0].median, "x")
        try addHeap(to: &report)
        return report
    }

    private func addHeap(to report: inout Report) throws {
        guard let heap = HeapPeak() else {
            report.add("parse", "heap (not counted: the allocator is not jemalloc 5.3)", 0, "")
            return
        }
        let counts = [500, 5000, 10_000]
        var peaks: [String: [Int: Double]] = [:]
        for count in counts {
            for body in EventForms.bodies(count: count) {
                let buffer = ByteBuffer(bytes: body.bytes)
                // With a reader of its own, whose parser counts too.
                let bytes = try heap.bytes { try read(buffer, body.format, EventReader()) }
                peaks[body.name, default: [:]][count] = Double(bytes)
                let size = body.bytes.count / 1000
                report.add(
                    "parse, \(body.name)",
                    "heap for \(count) events beside \(size) kB",
                    Double(bytes) / 1000,
                    "kB"
                )
            }
        }
        for (name, peaks) in peaks.sorted(by: { $0.key < $1.key }) {
            let growth = (peaks[10_000] ?? 0) / max(peaks[500] ?? 0, 1)
            report.add("parse, \(name)", "heap for 10,000 / for 500", growth, "x", atMost: growthLimit)
        }
    }

    private func read(_ buffer: ByteBuffer, _ format: EventFormat, _ reader: EventReader) throws {
        var pieces = try reader.open(buffer, format: format, now: SystemClock().now)
        while let piece = try pieces.next() {
            if let refused = piece.refused.first { throw HarnessError(refused.problem.detail) }
        }
    }

    private func decode(_ lines: [UInt8]) throws {
        let decoder = JSONDecoder()
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            _ = try decoder.decode(DecodedEvent.self, from: Data(line))
        }
    }

    /// CPU of this thread for each of the events, in microseconds.
    private func cpu(_ body: () throws -> Void) rethrows -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
        }
        let start = now()
        try body()
        return (now() - start) / Double(Self.events)
    }
}

/// The members of the events as `Codable` has them.
private struct DecodedEvent: Decodable {
    struct Agent: Decodable { var id, nickname: String? }
    struct Link: Decodable { var ios, android, web: String? }

    var id, type, consumer: String
    var conversation, dialog, text, title, priority, category, sound, time: String?
    var sourceSequence, ttlSeconds: Int64?
    var agent: Agent?
    var link: Link?
    var data: [String: String]?
    var silent: Bool?
}
