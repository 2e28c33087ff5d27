import Foundation
import GatewayStorage
import ProcessHarness

/// A turn that accepts 500 events (message, unread, one delivery each) through the engine, compared with the same
/// statements through SQLite's C interface on a copy of the same file.
struct CommitScenario {
    /// Events of one commit.
    static let eventsPerTurn = 500
    /// The number of turns of each; the two alternate.
    var turns = 200
    /// The limit: the engine's time as a multiple of the other's.
    var ratioLimit = 1.5

    /// Runs both on fresh files.
    ///
    /// - Returns: The figures.
    /// - Throws: An error when the two wrote different rows.
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
        var (engine, other) = (Cost(), Cost())
        // The first few are warm-up and are not counted.
        let warmUp = min(turns, Self.consumers / Self.eventsPerTurn)
        for number in -warmUp..<turns {
            // Created just before, as by a request: older events would not be in the processor's caches.
            let turn = fixture.turn(
                run: "commit",
                first: Self.consumers + (warmUp + number) * Self.eventsPerTurn,
                count: Self.eventsPerTurn,
                isOwned: true
            )
            let own = try await Cost.measure { _ = try await fixture.store.commit(turn) }
            let rows = planner.rows(of: turn)
            let bare = try await Cost.measure { try raw.run(rows) }
            guard number >= 0 else { continue }
            engine.add(own)
            other.add(bare)
        }
        await fixture.store.close()
        try compare(path, raw)
        return report(engine, other)
    }

    /// The number of consumers that the writer caches, with a conversation each.
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

    /// Checks that both have written the same.
    private func compare(_ path: String, _ raw: RawStore) throws {
        let engine = try RawStore(path: path)
        defer {
            engine.close()
            raw.close()
        }
        // A sum of whole keys has no room in 64 bits, and a query that fails has no rows to compare.
        let checks = [
            """
            SELECT count(*), sum(key % 999983), sum(previous % 999983), sum(sequence), sum(length(text)), sum(length(data)) \
            FROM messages
            """,
            "SELECT count(*), sum(position), sum(message % 999983) FROM message_positions",
            "SELECT count(*), sum(id), sum(registration), sum(message % 999983) FROM outbox",
            "SELECT count(*), sum(message % 999983) FROM dedupe",
            """
            SELECT count(*), sum(unread), sum(last_sequence), sum(last_message % 999983) FROM current_conversations
            """,
        ]
        for check in checks where try engine.rows(check) != raw.rows(check) {
            throw HarnessError("the engine and the C interface wrote different rows: \(check)")
        }
    }

    private func report(_ engine: Cost, _ raw: Cost) -> Report {
        var report = Report()
        let name = "commit of 500 accepts"
        let scale = 1e6 / Double(turns * Self.eventsPerTurn)
        report.add(name, "engine, an event", engine.wall * scale, "us")
        report.add(name, "C interface, an event", raw.wall * scale, "us")
        report.add(name, "ratio", engine.wall / raw.wall, "x", atMost: ratioLimit)
        report.add(name, "engine CPU, an event", engine.cpu * scale, "us")
        report.add(name, "C interface CPU, an event", raw.cpu * scale, "us")
        report.add(name, "ratio of CPU", engine.cpu / raw.cpu, "x")
        return report
    }
}

/// The time of turns in seconds, including checkpoints, within a commit or separate.
private struct Cost {
    var wall = 0.0
    var cpu = 0.0

    static func measure(_ work: () async throws -> Void) async throws -> Cost {
        let cpu = ProcessUsage.ownCPUSeconds()
        let start = ContinuousClock.now
        try await work()
        let wall = seconds(ContinuousClock.now - start)
        return Cost(wall: wall, cpu: ProcessUsage.ownCPUSeconds() - cpu)
    }

    mutating func add(_ other: Cost) {
        wall += other.wall
        cpu += other.cpu
    }
}
