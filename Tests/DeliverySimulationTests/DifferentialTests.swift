import Delivery
import DeliverySimulation
import Foundation
import GatewayModel
import GatewayStorage
import Logging
import SQLiteStorage
import Testing

@Suite("The simulated store")
struct DifferentialTests {
    @Test("returns the same as SQLite for every call of a run", arguments: 0..<8)
    func sameAsSQLite(part: Int) async throws {
        for number in 1...40 {
            let seed = SimulationSeed(rawValue: UInt64(part * 40 + number))
            let report = Simulation.run(seed, isRecorded: true)
            #expect(report.violation == nil)
            let difference = try await Self.firstDifference(report)
            #expect(difference == nil, "seed \(seed)")
            if difference != nil { return }
        }
    }

    /// The folder of the stores: in memory if this host has a directory for that.
    ///
    /// Only results are compared, and syncs to a disk took nine tenths of the time. All of them together have about 10
    /// MB.
    private static var parent: URL {
        let memory = "/dev/shm"
        return FileManager.default.isWritableFile(atPath: memory)
            ? URL(filePath: memory) : FileManager.default.temporaryDirectory
    }

    /// Repeats the run's calls of the simulated store on a real one; returns nil when every result was the same.
    private static func firstDifference(_ report: SimulationReport) async throws -> String? {
        let directory = parent.appending(path: "simulation-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "switchboard.db").path
        var store = try open(path)
        try await prepare(store)
        for (number, step) in report.storeSteps.enumerated() {
            let (simulated, real): (String, String)
            switch step {
            case .begin(let now, let rules, let start):
                // A new process, except for the first.
                if number > 0 {
                    await store.close()
                    store = try open(path)
                }
                let begun = try await store.begin(now: now) { _, traits in
                    DeliveryMachine.heldUntil(traits, rules, now: now)
                }
                (simulated, real) = (StoreText.text(start), StoreText.text(begun))
            case .runHousekeeping(let batch, let count):
                let done = try await store.runHousekeeping(batch)
                (simulated, real) = ("\(count) removed", "\(isCounted(batch) ? done.removed : count) removed")
            case .delete(let brand, let isBrand, let lanes):
                let done =
                    isBrand
                    ? try await store.deleteBrand(brand, audit: nil)
                    : try await store.deleteApp(brand: brand, app: Simulation.lanes[0].app, audit: nil)
                (simulated, real) = (StoreText.text(lanes), StoreText.text(done ?? []))
            case .putApp(let brand, let isNewBrand, let lanes):
                let done = try await put(brand, isNew: isNewBrand, store)
                (simulated, real) = (StoreText.text(lanes), StoreText.text(done))
            case .commit(let turn, let result):
                (simulated, real) = (StoreText.text(result), StoreText.text(try await store.commit(turn)))
            }
            if simulated != real { return "step \(number)\nsimulated:\n\(simulated)\nSQLite:\n\(real)" }
        }
        let real = try await deliveries(store)
        await store.close()
        return report.deliveries == real ? nil : "simulated:\n\(report.deliveries)\nSQLite:\n\(real)"
    }

    private static func open(_ path: String) throws -> any GatewayStore {
        try SQLiteStore.open(path: path, logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    }

    /// Creates the brands and lanes of the simulation.
    private static func prepare(_ store: any TenantStore) async throws {
        for brand in Simulation.brands { _ = try await put(brand, isNew: true, store) }
        let lanes = try await store.lanes()
        for (place, lane) in Simulation.lanes.enumerated() {
            #expect(lanes[LaneID(Int64(place) + 1)] == lane)
        }
    }

    /// Creates the app of a brand, and the brand if it is new; returns the app's lanes.
    private static func put(_ brand: BrandID, isNew: Bool, _ store: any TenantStore) async throws -> [LaneID] {
        let now = Timestamp(milliseconds: 0)
        if isNew {
            try await store.insertBrand(
                Brand(id: brand, name: "b", settings: BrandSettings(), createdAt: now),
                audit: nil
            )
        }
        let lanes = Simulation.lanes.filter { $0.brand == brand }
        let app = StoredApp(brand: brand, id: lanes[0].app, sealedSettings: [1], updatedAt: now)
        _ = try await store.putApp(app, lanes: lanes, audit: nil)
        return try await store.lanes().filter { $0.value.brand == brand }.map(\.key)
    }

    /// Returns whether the simulated store counts what a batch of housekeeping removes as SQLite does.
    private static func isCounted(_ batch: HousekeepingBatch) -> Bool {
        switch batch.work {
        case .expired, .deletedApps: true
        default: false
        }
    }

    /// Returns the end of every delivery, by id.
    private static func deliveries(_ store: any DeliveryLogStore) async throws -> [String] {
        var records: [DeliveryRecord] = []
        for brand in Simulation.brands {
            var query = DeliveryQuery(brand: brand, limit: 500)
            repeat {
                let page = try await store.deliveries(query)
                records += page.items
                query.before = page.next
            } while query.before != nil
        }
        return records.sorted { $0.id < $1.id }.map { "\($0.id) \($0.state.rawValue) \($0.attempts)" }
    }
}
