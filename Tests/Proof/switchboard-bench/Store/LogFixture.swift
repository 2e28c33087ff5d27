import Foundation
import GatewayModel
import GatewayStorage
import Logging
import ProcessHarness
import SQLiteStorage

/// A store whose delivery log is filled through its own API: four brands of very different sizes, two transports, mixed
/// states and reasons, over twenty days.
///
/// One task at a time.
final class LogFixture {
    /// A delivery, with its message.
    struct Sample {
        var delivery: DeliveryID
        var message: MessageID
        var consumer: ConsumerID
    }

    /// A reason of exactly one delivery.
    static let rareReason = "PayloadTooLarge"

    let store: any GatewayStore
    /// The brands with their percentage of deliveries.
    private static let shares: [(brand: String, share: Int)] = [
        ("large", 70), ("middle", 20), ("small", 9), ("tiny", 1),
    ]
    private static let consumers = 20_000
    private static let eventsPerTurn = 500
    private let app = AppID(trusted: "app")
    private let incarnation: IncarnationID
    private var lanes: [LaneID] = []
    private var ids = MessageIDGenerator()
    private(set) var now: Timestamp
    /// The claimed rows of the outbox.
    private var rows: [OutboxRow] = []
    private var number = 0
    /// The seconds of each commit of outcomes alone, and of the same with the indexing after it.
    private(set) var outcomeSeconds: [Double] = []
    private(set) var indexedSeconds: [Double] = []
    /// Some deliveries of the large brand.
    private(set) var samples: [Sample] = []
    /// Messages of the large brand to a consumer without a device.
    private(set) var withoutDelivery: [(message: MessageID, consumer: ConsumerID)] = []

    static let brand = BrandID(trusted: "large")
    static let smallBrand = BrandID(trusted: "tiny")

    /// Creates a new store.
    ///
    /// - Parameter path: The file.
    /// - Throws: `StorageError`.
    init(path: String) async throws {
        store = try SQLiteStore.open(path: path, logger: Logger(label: "bench"))
        now = SystemClock().now.adding(seconds: -20 * 86_400)
        incarnation = try await store.begin(now: now).incarnation
        for (id, _) in Self.shares {
            let brand = BrandID(trusted: id)
            try await store.insertBrand(
                Brand(id: brand, name: "Bench", settings: BrandSettings(), createdAt: now),
                audit: nil
            )
            _ = try await store.putApp(
                StoredApp(brand: brand, id: app, sealedSettings: [], updatedAt: now),
                lanes: [.apns, .fcm].map { LaneKey(brand: brand, app: app, pushType: $0, environment: .production) },
                audit: nil
            )
        }
        lanes = Array(try await store.lanes().keys)
        for first in stride(from: 0, to: Self.consumers, by: 500) {
            var turn = WriterTurn(now: now, incarnation: incarnation)
            turn.changes = (first..<first + 500).map { .register(device(of: $0)) }
            _ = try await store.commit(turn)
        }
    }

    /// Fills the delivery log.
    ///
    /// - Parameter count: The number of deliveries.
    /// - Throws: `StorageError`.
    func fill(_ count: Int) async throws {
        let turns = max(count / Self.eventsPerTurn, 1)
        let step = Int64(20 * 86_400_000 / turns)
        for turn in 0..<turns {
            now = Timestamp(milliseconds: now.milliseconds + step)
            try await accept(Self.eventsPerTurn)
            try await finish(isMeasured: turn >= turns * 9 / 10)
        }
        try await acceptWithoutDelivery()
    }

    /// Accepts as many messages for one consumer without a device as others have with one.
    private func acceptWithoutDelivery() async throws {
        var turn = WriterTurn(now: now, incarnation: incarnation)
        let settings = BrandSettings()
        let events = (0..<max(number / Self.consumers, 1)).map { _ in
            defer { number += 1 }
            return PostedEvent(event(number, of: "without-device"), ids.next(at: now))
        }
        turn.accepts = [
            AcceptRequest(
                brand: Self.brand,
                messageTtlSeconds: settings.messageTtlSeconds,
                dedupeHours: settings.dedupeHours,
                events: events
            )
        ]
        for lane in lanes { turn.budgets[lane] = LaneBudget(slots: events.count, mayHaveBacklog: false) }
        guard try await store.commit(turn).owned.isEmpty else {
            throw HarnessError("a consumer without a device has deliveries")
        }
        withoutDelivery = events.map { ($0.messageID, $0.event.consumer) }
    }

    private func accept(_ count: Int) async throws {
        var turn = WriterTurn(now: now, incarnation: incarnation)
        var events: [String: [PostedEvent]] = [:]
        for _ in 0..<count {
            events[Self.brandName(number % Self.consumers), default: []].append(
                PostedEvent(event(number, of: "consumer-\(number % Self.consumers)"), ids.next(at: now))
            )
            number += 1
        }
        let settings = BrandSettings()
        turn.accepts = events.map {
            AcceptRequest(
                brand: BrandID(trusted: $0.key),
                messageTtlSeconds: settings.messageTtlSeconds,
                dedupeHours: settings.dedupeHours,
                events: $0.value
            )
        }
        for lane in lanes { turn.budgets[lane] = LaneBudget(slots: count, mayHaveBacklog: false) }
        rows = try await store.commit(turn).owned
    }

    private func finish(isMeasured: Bool) async throws {
        var turn = WriterTurn(now: now, incarnation: incarnation)
        turn.outcomes = rows.map(outcome)
        let start = ContinuousClock.now
        _ = try await store.commit(turn)
        let committed = ContinuousClock.now
        if isMeasured {
            // Waits until indexing has finished.
            try await store.probeWriting()
            outcomeSeconds.append(seconds(committed - start) / Double(rows.count))
            indexedSeconds.append(seconds(ContinuousClock.now - start) / Double(rows.count))
        }
        if let row = rows.first(where: { $0.message?.brand == Self.brand }), let message = row.message {
            samples.append(Sample(delivery: row.id, message: message.id, consumer: message.consumer))
        }
        // One of twenty is tapped.
        var taps = WriterTurn(now: now, incarnation: incarnation)
        for row in rows where row.id.rawValue % 20 == 0 {
            guard let message = row.message else { continue }
            taps.changes.append(
                .tap(
                    TapRequest(
                        brand: message.brand,
                        consumer: message.consumer,
                        message: message.id,
                        device: DeviceID(trusted: Self.deviceName(message.consumer.rawValue)),
                        tappedAt: now,
                        action: nil
                    )
                )
            )
        }
        _ = try await store.commit(taps)
    }

    private func outcome(_ row: OutboxRow) -> OutcomeRecord {
        let id = row.id.rawValue
        var outcome = PushOutcome.accepted(providerID: "0190f3c2-7f0e-7cc0-8000-00000000\(id % 10_000)")
        var (status, reason, state) = (200, String?.none, DeliveryState.accepted)
        if id == 4321 {
            (status, reason, state, outcome) = (413, Self.rareReason, .failed, .rejected(token: .keep))
        } else if id % 12 == 0 {
            let reasons = ["BadDeviceToken", "INVALID_ARGUMENT", "TopicDisallowed", "InternalServerError"]
            (status, reason, state) = (400, reasons[Int(id / 12 % 4)], .failed)
            outcome = .rejected(token: .keep)
        }
        let isExpired = id == 1234
        return OutcomeRecord(
            delivery: row.id,
            registration: row.registration,
            response: isExpired
                ? nil
                : PushResponse(
                    outcome: outcome,
                    status: status,
                    reason: reason,
                    badge: row.unread,
                    sentAt: now,
                    latencyMilliseconds: 5 + id * 7919 % 400
                ),
            disposition: .finished(isExpired ? .expired : state, nil),
            token: .none,
            earlierTries: 0
        )
    }

    private static func brandName(_ consumer: Int) -> String {
        var place = consumer % 100
        for (brand, share) in shares {
            if place < share { return brand }
            place -= share
        }
        return "large"
    }

    private static func deviceName(_ consumer: String) -> String { "7f0e0000-0190-4cc0-8000-" + consumer }

    private func device(of consumer: Int) -> DeviceToRegister {
        DeviceToRegister(
            brand: BrandID(trusted: Self.brandName(consumer)),
            app: app,
            device: DeviceID(trusted: Self.deviceName("consumer-\(consumer)")),
            consumer: ConsumerID(trusted: "consumer-\(consumer)"),
            token: "token-\(consumer)",
            pushType: consumer / 100 % 3 == 0 ? .fcm : .apns,
            environment: .production,
            platform: consumer / 100 % 3 == 0 ? .android : .ios,
            receives: .all
        )
    }

    private func event(_ number: Int, of consumer: String) -> AgentEvent {
        var event = AgentEvent(
            id: EventID(trusted: "event-\(number)"),
            type: .agentMessage,
            consumer: ConsumerID(trusted: consumer)
        )
        event.conversation = ConversationID(trusted: "conversation-of-\(consumer)")
        event.text = "Your order has shipped and will be with you on Thursday between nine and twelve."
        event.bodyHash = UInt64(number)
        return event
    }
}
