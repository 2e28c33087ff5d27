import Foundation
import GatewayModel
import GatewayStorage
import Logging
import ProcessHarness
import SQLiteStorage

/// A store of the benchmark with a brand, an app and consumers with one device each, written without a gateway.
///
/// One task at a time.
final class StoreFixture {
    /// The number of consumers, devices and conversations, which take turns: number n is n modulo this.
    let consumers: Int
    let store: any GatewayStore
    private(set) var incarnation = IncarnationID(0)
    private(set) var lane = LaneID(0)
    private var ids = MessageIDGenerator()
    private let brand = BrandID(trusted: Installation.brand)
    private let app = AppID(trusted: Installation.iosApp)

    /// Opens the data of a file.
    ///
    /// - Parameters:
    ///   - path: The file; created when it is missing.
    ///   - consumers: The number of consumers, which take turns.
    /// - Throws: `StorageError`.
    init(path: String, consumers: Int) throws {
        self.consumers = consumers
        store = try SQLiteStore.open(path: path, logger: Logger(label: "bench"))
    }

    /// The time of the next turn.
    var now: Timestamp { SystemClock().now }

    /// Creates the brand, the app without credentials, and the consumers' devices.
    ///
    /// - Parameter devices: The number of consumers that have one, the first ones; nil is all.
    /// - Throws: `StorageError`.
    func populate(devices: Int? = nil) async throws {
        let now = now
        try await store.insertBrand(
            Brand(id: brand, name: "Bench", settings: BrandSettings(), createdAt: now),
            audit: nil
        )
        let key = LaneKey(brand: brand, app: app, pushType: .apns, environment: .production)
        _ = try await store.putApp(
            StoredApp(brand: brand, id: app, sealedSettings: [], updatedAt: now),
            lanes: [key],
            audit: nil
        )
        try await registerDevices(0..<(devices ?? consumers), app: Installation.iosApp)
    }

    /// Registers the consumers' devices.
    ///
    /// - Throws: `StorageError`.
    func registerDevices() async throws { try await registerDevices(0..<consumers, app: Installation.iosApp) }

    /// Registers a device for each consumer of a range.
    ///
    /// - Parameters:
    ///   - range: The consumers' numbers.
    ///   - app: The app.
    /// - Throws: `StorageError`.
    func registerDevices(_ range: Range<Int>, app: String) async throws {
        for first in stride(from: range.lowerBound, to: range.upperBound, by: 500) {
            var turn = WriterTurn(now: now, incarnation: incarnation)
            for consumer in first..<min(first + 500, range.upperBound) {
                turn.changes.append(.register(device(of: consumer, app: AppID(trusted: app))))
            }
            _ = try await store.commit(turn)
        }
    }

    /// Starts an incarnation.
    ///
    /// - Throws: `StorageError`, or ``HarnessError`` when the file has no lane.
    func begin() async throws {
        let start = try await store.begin(now: now)
        incarnation = start.incarnation
        ids = MessageIDGenerator(after: start.lastMessage)
        let lanes = try await store.lanes()
        guard let lane = lanes.first(where: { $0.value.environment == .production })?.key else {
            throw HarnessError("the store has no lane")
        }
        self.lane = lane
    }

    /// Makes a turn that accepts events, each with one delivery.
    ///
    /// - Parameters:
    ///   - run: A prefix that is unique for the run.
    ///   - first: The first event's number.
    ///   - count: The number of events.
    ///   - isOwned: Whether the deliveries are claimed in memory or wait in the store.
    ///   - campaign: The campaign of proactive messages; nil for agents' messages.
    /// - Returns: The turn.
    func turn(run: String, first: Int, count: Int, isOwned: Bool, campaign: String? = nil) -> WriterTurn {
        let now = now
        var turn = WriterTurn(now: now, incarnation: incarnation)
        let settings = BrandSettings()
        turn.accepts = [
            AcceptRequest(
                brand: brand,
                messageTtlSeconds: settings.messageTtlSeconds,
                dedupeHours: settings.dedupeHours,
                events: (first..<first + count).map {
                    var event = EventBodies.parsed(run: run, number: $0, consumers: consumers)
                    if let campaign {
                        (event.type, event.kind, event.campaign) = (.proactiveMessage, .proactive, campaign)
                    }
                    return PostedEvent(event, ids.next(at: now))
                }
            )
        ]
        if isOwned { turn.budgets[lane] = LaneBudget(slots: count, mayHaveBacklog: false) }
        return turn
    }

    /// Makes finished deliveries to the first consumers, which have devices.
    ///
    /// - Returns: Their numbers: one that is pending is searched in two tables.
    /// - Throws: `StorageError`, or ``HarnessError`` when some are missing.
    func finishedDeliveries() async throws -> [DeliveryID] {
        let rows = try await store.commit(self.turn(run: "finished", first: 0, count: 100, isOwned: true)).owned
        guard rows.count == 100 else { throw HarnessError("only \(rows.count) deliveries are owned") }
        var turn = WriterTurn(now: now, incarnation: incarnation)
        turn.outcomes = rows.map { row in
            OutcomeRecord(
                delivery: row.id,
                registration: row.registration,
                response: nil,
                disposition: .finished(.expired, nil),
                token: .none
            )
        }
        _ = try await store.commit(turn)
        return rows.map(\.id)
    }

    private func device(of consumer: Int, app: AppID) -> DeviceToRegister {
        DeviceToRegister(
            brand: brand,
            app: app,
            device: DeviceID(trusted: "device-\(consumer)"),
            consumer: ConsumerID(trusted: "consumer-\(consumer)"),
            token: Installation.token(consumer),
            pushType: .apns,
            environment: .production,
            platform: .ios,
            receives: .all
        )
    }
}
