import Foundation
import GatewayHTTP
import GatewayModel
import NIOCore
import ProcessHarness

/// Bodies of events, parsed as the route does, compared with Foundation's `JSONDecoder`, which validates nothing.
///
/// Parsing includes JSON, CloudEvents' envelopes, the rules for each member, and the stored values. An array is scanned
/// to its end before its first piece is returned; this is counted too.
struct ParseScenario {
    /// The number of rounds; the formats alternate.
    var rounds: Int
    /// The limit: CPU per event.
    var microsecondsLimit = 3.0
    /// The limit: the peak heap growth of parsing 10,000 events besides the body, as a multiple of that of 500.
    var growthLimit = 1.1

    private static let events = 10_000

    /// Runs in this process, on one thread.
    ///
    /// - Returns: The figures.
    /// - Throws: An error when an event is rejected.
    func run() throws -> Report {
        var report = Report()
        let bodies = EventForms.bodies(count: Self.events)
        let reader = EventReader()
        var costs = [[Double]](repeating: [], count: bodies.count + 1)
        // The first round is warm-up and is not counted.
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
                // With a new reader, whose parser counts too.
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

    /// Returns the CPU time of this thread per event in microseconds.
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

/// The members of the events for `Codable`.
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
