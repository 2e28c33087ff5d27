import Foundation
import GatewayStorage
import ProcessHarness
import SQLiteStorage

/// A turn that accepts 500 events (message, unread, one delivery each) through the engine, beside the same statements
/// through SQLite's C interface on a copy of the same file.
struct CommitScenario {
    /// Events of one commit.
    static let eventsPerTurn = 500
    /// How many turns a round of either has.
    var turns = 20
    /// How many rounds; the two take turns.
    var rounds = 9
    /// What must be reached: the engine's time as a multiple of the other's.
    var ratioLimit = 1.5

    /// Runs both on fresh files.
    ///
    /// - Returns: The figures.
    /// - Throws: When the two did not write the same.
    func run() async throws -> Report {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("switchboard-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appendingPathComponent("engine.db").path
        let rawPath = directory.appendingPathComponent("raw.db").path
        try await prepare(path)
        try FileManager.default.copyItem(atPath: path, toPath: rawPath)

        let fixture = try StoreFixture(path: path, consumers: Self.consumers)
        let raw = try RawStore(path: rawPath)
        try await fixture.begin()
        var planner = try RawTurnPlanner(raw)
        var engineRounds: [Cost] = []
        var rawRounds: [Cost] = []
        // The first round pays for what is new, and is not counted.
        for round in 0...rounds {
            let first = Self.consumers + round * turns * Self.eventsPerTurn
            let all = (0..<turns).map { turn in
                fixture.turn(
                    run: "commit",
                    first: first + turn * Self.eventsPerTurn,
                    count: Self.eventsPerTurn,
                    isOwned: true
                )
            }
            let rawTurns = all.map { planner.rows(of: $0) }
            let engine = try await Cost.measure(events: turns * Self.eventsPerTurn) {
                for turn in all { _ = try await fixture.store.commit(turn) }
            }
            let other = try await Cost.measure(events: turns * Self.eventsPerTurn) {
                for turn in rawTurns { try raw.run(turn) }
            }
            guard round > 0 else { continue }
            engineRounds.append(engine)
            rawRounds.append(other)
        }
        await fixture.store.close()
        try compare(path, raw)
        return report(engineRounds, rawRounds)
    }

    /// As many as the writer remembers, with a conversation each.
    private static let consumers = 10_000

    private func prepare(_ path: String) async throws {
        let fixture = try StoreFixture(path: path, consumers: Self.consumers)
        try await fixture.populate()
        try await fixture.begin()
        for first in stride(from: 0, to: Self.consumers, by: Self.eventsPerTurn) {
            _ = try await fixture.store.commit(
                fixture.turn(run: "commit", first: first, count: Self.eventsPerTurn, isOwned: true)
            )
        }
        await fixture.store.close()
    }

    /// Whether both have written the same.
    private func compare(_ path: String, _ raw: RawStore) throws {
        let engine = try RawStore(path: path)
        defer {
            engine.close()
            raw.close()
        }
        let checks = [
            "SELECT count(*), sum(key), sum(sequence), sum(length(text)), sum(length(data)) FROM messages",
            "SELECT count(*), sum(id), sum(registration), sum(message) FROM outbox",
            "SELECT count(*), sum(message) FROM dedupe",
            "SELECT count(*), sum(unread), sum(last_sequence), sum(last_message) FROM conversations",
        ]
        for check in checks where try engine.rows(check) != raw.rows(check) {
            throw HarnessError("the engine and the C interface wrote different rows: \(check)")
        }
    }

    private func report(_ engine: [Cost], _ raw: [Cost]) -> Report {
        var report = Report()
        let name = "commit of 500 accepts"
        let (own, other) = (engine.map(\.wall).percentile(0.5), raw.map(\.wall).percentile(0.5))
        report.add(name, "engine, an event", own, "us")
        report.add(name, "C interface, an event", other, "us")
        report.add(name, "ratio", own / other, "x", atMost: ratioLimit)
        let (ownCPU, otherCPU) = (engine.map(\.cpu).percentile(0.5), raw.map(\.cpu).percentile(0.5))
        report.add(name, "engine CPU, an event", ownCPU, "us")
        report.add(name, "C interface CPU, an event", otherCPU, "us")
        report.add(name, "ratio of CPU", ownCPU / otherCPU, "x", atMost: ratioLimit)
        return report
    }
}

/// What one event of a round cost, in microseconds.
private struct Cost {
    var wall: Double
    var cpu: Double

    static func measure(events: Int, _ work: () async throws -> Void) async throws -> Cost {
        let cpu = ProcessUsage.ownCPUSeconds()
        let start = ContinuousClock.now
        try await work()
        let wall = seconds(ContinuousClock.now - start)
        return Cost(
            wall: wall * 1e6 / Double(events),
            cpu: (ProcessUsage.ownCPUSeconds() - cpu) * 1e6 / Double(events)
        )
    }
}
