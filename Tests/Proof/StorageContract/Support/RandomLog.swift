import GatewayModel
import GatewayStorage
import TestSupport
import Testing

/// A delivery log of two brands with every possible event of a delivery, and the expected lists.
struct RandomLog {
    /// The campaigns of events; most have none.
    private static let campaigns: [String?] = ["spring", "autumn", nil, nil, nil, nil]
    private static let reasons = ["BadDeviceToken", "InternalServerError", "Rare"]

    let f: ContractFixture
    let other = BrandID(trusted: "other")
    private(set) var random: SplitMix
    /// All created deliveries, by brand.
    private(set) var made: [BrandID: Set<DeliveryID>] = [:]
    private var owned: [OutboxRow] = []
    private(set) var messages: [Message] = []
    /// Events for one device each, which come again for other devices.
    private var named: [AgentEvent] = []
    private var lanes: [LaneID] = []

    init(_ f: ContractFixture, seed: UInt64) async throws {
        self.f = f
        random = SplitMix(seed: seed)
        try await f.makeBrand(other, app: f.app)
        lanes = Array(try await f.store.lanes().keys)
        for brand in [f.brand, other] {
            for number in 0..<6 {
                let kind: PushType = number.isMultiple(of: 3) ? .fcm : .apns
                var device = f.device("d-\(number)", of: "u-\(number % 4)", token: "t-\(number)", pushType: kind)
                device.brand = brand
                try await f.register(device)
            }
        }
    }

    /// Runs turns with events, outcomes, taps and receipts; the clock is sometimes set back.
    mutating func grow(turns: Int) async throws {
        for _ in 0..<turns {
            f.wait(seconds: Int64.random(in: 0...900, using: &random))
            if Int.random(in: 0..<12, using: &random) == 0 {
                f.wait(seconds: -Int64.random(in: 1...7200, using: &random))
            }
            if Int.random(in: 0..<8, using: &random) == 0 { try await handOver() }
            try await post()
            try await respond()
            try await report()
        }
        try await takeDelayed(after: 50_000)
    }

    /// Hands out the rows that the clock has delayed, and that are due after these seconds.
    private mutating func takeDelayed(after seconds: Int64) async throws {
        f.wait(seconds: seconds)
        var turn = f.turn()
        turn.claims = claims
        take(try await f.store.commit(turn))
    }

    /// Leaves some to be retried later; nothing of their devices is handed out any more.
    mutating func leaveSome() async throws {
        let outcomes = owned.prefix(3).map { f.retry($0, seconds: 1_000_000) }
        owned.removeFirst(outcomes.count)
        try await f.commit { $0.outcomes = outcomes }
    }

    private var claims: [ClaimRequest] {
        // The store numbers campaigns from 1.
        let campaigns = (1...Int64(2 * Self.campaigns.count)).map { OutboxQueue.proactive(campaign: $0) }
        return lanes.flatMap { lane in
            ([.agent, .badge, .proactive(campaign: nil)] + campaigns).map {
                ClaimRequest(lane: lane, queue: $0, limit: 1000)
            }
        }
    }

    private mutating func take(_ result: WriterTurnResult) {
        for row in result.owned + result.claims.flatMap(\.rows) {
            guard let message = row.message else { continue }
            if made[message.brand, default: []].insert(row.id).inserted { messages.append(message) }
            owned.append(row)
        }
    }

    /// Moves a device to another consumer, or to none; its log stays.
    private mutating func handOver() async throws {
        // Rows that wait end with their registration, and were never handed out.
        try await takeDelayed(after: 7201)
        let number = Int.random(in: 0..<6, using: &random)
        let (device, consumer) = ("d-\(number)", "u-\(Int.random(in: 0..<4, using: &random))")
        if Int.random(in: 0..<3, using: &random) == 0 {
            try await f.change(f.unregister(consumer, device: device, .all))
        } else {
            try await f.register(
                f.device(device, of: consumer, token: "t-\(number)", pushType: number.isMultiple(of: 3) ? .fcm : .apns)
            )
        }
    }

    private mutating func post() async throws {
        var turn = f.turn()
        for lane in lanes { turn.budgets[lane] = LaneBudget(slots: 1000, mayHaveBacklog: true) }
        for _ in 0..<2 {
            guard let event = try await eventForOneDevice() else { continue }
            turn.accepts.append(f.request([event]))
        }
        for brand in [f.brand, other] {
            let count = brand == f.brand ? Int.random(in: 8...16, using: &random) : 2
            let events = (0..<count).map { _ in
                let consumer = Int.random(in: 0..<4, using: &random)
                guard let campaign = Self.campaigns[Int.random(in: 0..<6, using: &random)] else {
                    return f.message("u-\(consumer)", in: "\(brand)-\(consumer)")
                }
                var event = f.proactive("u-\(consumer)", in: "\(brand)-\(consumer)")
                event.campaign = campaign
                return event
            }
            turn.accepts.append(f.request(events, brand: brand))
        }
        turn.claims = claims
        take(try await f.store.commit(turn))
    }

    /// Returns a new event or an earlier one, for one of the consumer's present devices.
    private mutating func eventForOneDevice() async throws -> AgentEvent? {
        let consumer = Int.random(in: 0..<4, using: &random)
        let earlier = Bool.random(using: &random) ? named.randomElement(using: &random) : nil
        var event = earlier ?? f.message("u-\(consumer)", in: "\(f.brand)-\(consumer)")
        let devices = try await f.registrations(event.consumer.rawValue)
        guard let device = devices.randomElement(using: &random) else { return nil }
        event.registration = device.id
        if earlier == nil { named.append(event) }
        return event
    }

    private mutating func respond() async throws {
        var outcomes: [OutcomeRecord] = []
        var kept: [OutboxRow] = []
        for row in owned {
            var outcome: OutcomeRecord
            switch Int.random(in: 0..<30, using: &random) {
            case 0:
                // It stays in flight.
                kept.append(row)
                continue
            case 1: outcome = f.retry(row, seconds: 1)
            case 2: outcome = f.unsent(row, .finished(.expired, nil))
            case 3...6:
                let reason = Self.reasons[Int.random(in: 0..<2, using: &random)]
                outcome = f.response(row, .rejected(token: .keep), status: 400, reason: reason)
            default: outcome = f.response(row)
            }
            outcome.response?.latencyMilliseconds = Int64.random(in: 0...3000, using: &random)
            outcomes.append(outcome)
        }
        owned = kept
        let answered = outcomes
        try await f.commit { $0.outcomes = answered }
    }

    private mutating func report() async throws {
        guard let message = messages.randomElement(using: &random) else { return }
        let device = DeviceID(trusted: "d-\(Int.random(in: 0..<6, using: &random))")
        let isTap = Bool.random(using: &random)
        try await f.change(
            isTap
                ? .tap(
                    TapRequest(
                        brand: message.brand,
                        consumer: message.consumer,
                        message: message.id,
                        device: device,
                        tappedAt: f.now,
                        action: nil
                    )
                )
                : .receipts(
                    brand: message.brand,
                    consumer: message.consumer,
                    [
                        DeviceReceipt(
                            message: message.id,
                            device: device,
                            state: DeviceReceipt.State.allCases[Int.random(in: 0..<3, using: &random)],
                            at: f.now
                        )
                    ]
                )
        )
    }

    // MARK: Expected lists

    /// Returns all stored deliveries of a brand, newest first, read one by one.
    func records(_ brand: BrandID) async throws -> [DeliveryRecord] {
        var records: [DeliveryRecord] = []
        for id in made[brand, default: []].sorted(by: >) {
            if let found = try await f.store.delivery(brand: brand, id: id) { records.append(found.record) }
        }
        return records
    }

    /// Whether a naive filter accepts a delivery.
    static func matches(_ record: DeliveryRecord, _ query: DeliveryQuery) -> Bool {
        (query.consumer == nil || query.consumer == record.consumer)
            && (query.device == nil || query.device == record.device)
            && (query.message == nil || query.message == record.messageID)
            && (query.state == nil || query.state == record.state)
            && (query.provider == nil || query.provider == record.provider)
            && (query.reason == nil || query.reason == record.reason)
            && (query.since.map { record.queuedAt >= $0 } ?? true)
            && (query.until.map { record.queuedAt < $0 } ?? true)
            && (query.before.map { record.id < $0 } ?? true)
    }

    /// Returns a filter of one to three members.
    mutating func query(_ brand: BrandID, among records: [DeliveryRecord]) -> DeliveryQuery {
        var query = DeliveryQuery(brand: brand, limit: Int.random(in: 5...60, using: &random))
        func moment() -> Timestamp {
            let some = records.randomElement(using: &random)?.queuedAt ?? f.now
            return some.adding(seconds: Int64.random(in: -10...10, using: &random))
        }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: query.consumer = ConsumerID(trusted: "u-\(Int.random(in: 0..<5, using: &random))")
            case 1: query.device = DeviceID(trusted: "d-\(Int.random(in: 0..<7, using: &random))")
            case 2: query.message = records.randomElement(using: &random)?.messageID
            case 3: query.state = DeliveryState.allCases.randomElement(using: &random)
            case 4: query.provider = PushType.allCases.randomElement(using: &random)
            case 5: query.reason = Self.reasons.randomElement(using: &random)
            case 6: query.since = moment()
            default: query.until = moment()
            }
        }
        return query
    }
}
