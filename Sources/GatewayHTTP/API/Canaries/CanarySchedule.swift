internal import GatewayModel

/// The schedule and the results of the canaries of all apps: a pure value.
struct CanarySchedule {
    /// The canary of an app in the directory.
    struct Setting: Equatable {
        var canary: CanarySettings
        /// When the app was last put: perhaps the cause of a failure was fixed.
        var appUpdatedAt: Timestamp
    }

    /// One push of a canary.
    struct Attempt: Sendable, Equatable {
        var lane: LaneKey
        var canary: CanarySettings
        var message: MessageID
        var at: Timestamp
    }

    /// The maximum number of pushes at a time, in total and per brand: each opens its own connection to the provider.
    ///
    /// A brand has a second one only while fewer than half are taken.
    static let limit = 8
    static let brandLimit = 2
    /// The time after which a lane that held a push back is asked again, in seconds.
    static let heldSeconds: Int64 = 60
    /// The time within which a device confirms a push, in seconds: providers may delay a silent one.
    static let receiptSeconds: Int64 = 900

    private struct Canary {
        var setting: Setting
        var status: CanaryStatus
        /// The last push, while its receipt is awaited.
        var awaited: Attempt?
        /// The push that has no verdict yet.
        var running: MessageID?
    }

    private var canaries: [LaneKey: Canary] = [:]
    private var awaited: [MessageID: LaneKey] = [:]
    /// The numbers of pushes without a verdict, also of canaries that were changed since.
    private var running: [BrandID: Int] = [:]
    private var hasStarted = false
    private var ids = MessageIDGenerator()

    /// The states of all canaries, in any order.
    var all: [(lane: LaneKey, status: CanaryStatus)] { canaries.map { ($0.key, $0.value.status) } }

    /// The state of a lane's canary; nil when it has none.
    subscript(lane: LaneKey) -> CanaryStatus? { canaries[lane]?.status }

    /// Takes over the settings of all apps.
    ///
    /// At the start a canary waits for a random part of its interval, so that a gateway that starts again and again does
    /// not send more. One that is set or changed later is due at once, and so is one that failed when its app is put.
    mutating func update(
        _ settings: [LaneKey: Setting],
        now: Timestamp,
        random: (Range<Int64>) -> Int64 = { .random(in: $0) }
    ) {
        for lane in canaries.keys where settings[lane] == nil { remove(lane) }
        for (lane, setting) in settings where canaries[lane]?.setting != setting {
            if var known = canaries[lane], known.setting.canary == setting.canary {
                known.setting = setting
                if known.status.condition == .failing { known.status.nextAt = now }
                canaries[lane] = known
                continue
            }
            remove(lane)
            let wait = hasStarted ? 0 : random(0..<setting.canary.everySeconds)
            let status = CanaryStatus(
                expectsReceipt: setting.canary.expectReceipt ?? false,
                nextAt: now.adding(seconds: wait)
            )
            canaries[lane] = Canary(setting: setting, status: status)
        }
        hasStarted = true
    }

    private mutating func remove(_ lane: LaneKey) {
        if let message = canaries.removeValue(forKey: lane)?.awaited?.message { awaited[message] = nil }
    }

    /// Returns the lanes whose canaries are due, the one that waits longest first.
    func due(now: Timestamp) -> [LaneKey] {
        canaries.filter { $1.status.nextAt <= now && $1.running == nil && !$1.status.isGone }
            .sorted { ($0.value.status.nextAt, $0.key.description) < ($1.value.status.nextAt, $1.key.description) }
            .map(\.key)
    }

    /// Takes the pushes that leave now, as far as there is room; the others keep their turn.
    ///
    /// - Parameters:
    ///   - lanes: Lanes that are due, as ``due(now:)`` returned them.
    ///   - open: The lanes that let a push out.
    ///   - now: The time.
    /// - Returns: The pushes, each of which must be ``finished(_:_:)``.
    mutating func take(_ lanes: [LaneKey], open: Set<LaneKey>, now: Timestamp) -> [Attempt] {
        var attempts: [Attempt] = []
        var total = running.values.reduce(0, +)
        for lane in lanes {
            guard var canary = canaries[lane], canary.running == nil else { continue }
            guard open.contains(lane) else {
                canary.status.isHeld = true
                canary.status.nextAt = now.adding(seconds: Self.heldSeconds)
                canaries[lane] = canary
                continue
            }
            let own = running[lane.brand, default: 0]
            guard own < Self.brandLimit, total < (own == 0 ? Self.limit : Self.limit / 2) else { continue }
            total += 1
            running[lane.brand] = own + 1
            let attempt = Attempt(lane: lane, canary: canary.setting.canary, message: ids.next(at: now), at: now)
            canary.running = attempt.message
            canary.status.nextAt = now.adding(seconds: canary.setting.canary.everySeconds)
            if canary.status.expectsReceipt {
                if let old = canary.awaited { awaited[old.message] = nil }
                canary.awaited = attempt
                awaited[attempt.message] = lane
            }
            canaries[lane] = canary
            attempts.append(attempt)
        }
        return attempts
    }

    /// Records the verdict on a push; nil when it could not be tried, and is tried again soon.
    mutating func finished(_ attempt: Attempt, _ result: SelfCheck.Result?, now: Timestamp) {
        let brand = attempt.lane.brand
        let left = running[brand, default: 1] - 1
        running[brand] = left > 0 ? left : nil
        // It may have been changed meanwhile.
        guard var canary = canaries[attempt.lane], canary.running == attempt.message else { return }
        canary.running = nil
        canary.status.isHeld = result == nil
        if let result {
            canary.status.result = result
            canary.status.attemptedAt = attempt.at
            if canary.status.condition == .accepted || canary.status.condition == .noReceipt {
                canary.status.acceptedAt = attempt.at
            } else {
                // No device confirms what was not accepted.
                stopWaiting(&canary)
            }
        } else {
            canary.status.nextAt = now.adding(seconds: Self.heldSeconds)
            stopWaiting(&canary)
        }
        canaries[attempt.lane] = canary
    }

    /// Records devices' receipts, of canaries and of other messages.
    ///
    /// - Parameters:
    ///   - messages: The messages.
    ///   - brand: The brand of the devices.
    ///   - now: The time.
    /// - Returns: For each message whether it was a canary.
    mutating func received(_ messages: [MessageID], brand: BrandID, now: Timestamp) -> [Bool] {
        messages.map { message in
            guard let lane = awaited[message], lane.brand == brand, var canary = canaries[lane] else { return false }
            canary.status.receivedAt = now
            canary.status.isReceiptMissing = false
            stopWaiting(&canary)
            canaries[lane] = canary
            return true
        }
    }

    /// Notes receipts that are overdue; returns the lanes of those that were not overdue before.
    mutating func noteMissingReceipts(now: Timestamp) -> [LaneKey] {
        guard !awaited.isEmpty else { return [] }
        let overdue = awaited.values.filter { lane in
            guard let canary = canaries[lane], canary.running == nil, let attempt = canary.awaited else { return false }
            return !canary.status.isReceiptMissing && attempt.at.adding(seconds: Self.receiptSeconds) <= now
        }
        for lane in overdue { canaries[lane]?.status.isReceiptMissing = true }
        return overdue
    }

    private mutating func stopWaiting(_ canary: inout Canary) {
        if let message = canary.awaited?.message { awaited[message] = nil }
        canary.awaited = nil
    }
}
