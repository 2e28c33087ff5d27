import DequeModule
package import GatewayModel
import PushProviders

extension DeliveryMachine {
    /// A lane: its rows in memory, its backlog in the store, and whether it may send.
    package struct Lane: Sendable {
        /// Whether a lane's credential works.
        package enum Breaker: Sendable, Equatable {
            /// It works.
            case closed
            /// It was rejected: nothing leaves before this moment.
            case open(until: Timestamp)
            /// One push is in flight as a probe of whether it works again.
            case trying
        }

        /// Rows in memory: waiting or in flight.
        package internal(set) var rows = RowCounts()
        /// Rows in flight.
        package internal(set) var inFlight = 0
        /// The due time of the first row in the store, by its queue.
        package internal(set) var backlog: [OutboxQueue: Timestamp] = [:]
        /// Whether the credential works.
        package internal(set) var breaker = Breaker.closed
        /// The number of its provider: one with an older number takes nothing more.
        package internal(set) var provider: UInt64 = 0
        /// The number of its credential: results of pushes with an older one do not count for this one.
        var credential: UInt64 = 0
        /// Platforms whose devices the provider cannot reach.
        var platforms: [DevicePlatform: PlatformBreaker] = [:]
        /// How many platforms' devices are stopped.
        package var stoppedPlatforms: Int { platforms.count }
        /// Whether the provider is overloaded.
        package internal(set) var pause: LanePause
        /// Whether the provider is believed when it reports devices as gone.
        package internal(set) var invalidation = InvalidationGuard()
        /// The number of pushes that its provider takes in a minute; nil sets no limit.
        var quota: PushQuota?
        /// The time until which nothing of a class or of later ones leaves, because the quota is used up.
        var quotaWait: (until: Timestamp, pushClass: PushClass)?
        /// The pace that an operator has set; nil sets no limit.
        var pace: LanePace?
        /// The wait of pushes that were provably not sent.
        var unsent = UnsentWait()

        /// Registrations with a row that may leave.
        var ready = ReadyQueue()
        /// The number of times in a row that the credential was rejected.
        var rejections = 0
        /// The number of tokens that were quarantined in a row.
        var quarantined = 0
        /// Whether a push with its credential was accepted: dead tokens that were imported count for nothing then.
        var isProven = false
        /// The backlog that was noted while a claim was under way; it is kept when the claim's result comes.
        var backlogDuringTurn: [OutboxQueue: Timestamp] = [:]
        /// Whether turns look at it; maintained by ``LaneTable``.
        var isBusy = false
        /// Whether it has no credential, or its app or brand was deleted: nothing is taken for it until it is reset.
        var isRemoved = false
        /// Whether an operator has paused it: nothing is taken for it until it is resumed.
        package internal(set) var isPaused = false
        /// The response that last stopped or slowed the lane.
        package internal(set) var cause: LaneCause?

        init(_ settings: DeliverySettings) { pause = LanePause(manyFaults: settings.faultsBeforePause) }

        mutating func noteBacklog(_ queue: OutboxQueue, due: Timestamp) {
            backlog[queue] = min(backlog[queue] ?? due, due)
            backlogDuringTurn[queue] = min(backlogDuringTurn[queue] ?? due, due)
        }

        /// Marks all queues that may have rows in the store to be looked at again.
        mutating func noteBacklogs(due: Timestamp) {
            for queue in queues { noteBacklog(queue, due: due) }
        }

        /// The queues that may have rows in the store.
        var queues: Set<OutboxQueue> { Set(backlog.keys).union([.agent, .badge, .proactive(campaign: nil)]) }

        /// Whether nothing is taken for it: its rows wait in the store.
        var isClosed: Bool { isRemoved || isPaused }

        /// Whether a turn only has to take new rows for it, and nothing but a change alters that.
        ///
        /// A closed lane's rows in the store wait until it is reset or resumed.
        var isIdle: Bool {
            guard rows.total == 0, invalidation.isIdle else { return false }
            return isClosed || backlog.isEmpty && breaker == .closed && pause.until == nil
        }

        /// Stops the lane because its credential, or several of its devices' tokens in a row, were rejected; returns
        /// false when it was stopped already, because then pushes that were in flight bring no new information.
        mutating func openBreaker(now: Timestamp, _ settings: DeliverySettings) -> Bool {
            if case .open(let until) = breaker, until > now { return false }
            breaker = .open(until: now.adding(seconds: settings.breakerSeconds(after: rejections)))
            rejections += 1
            return true
        }

        /// Updates from a push result whether the provider is overloaded.
        mutating func followLoad(_ result: PushResult, now: Timestamp) {
            let isProbe = pause.probe == result.delivery
            if isProbe { pause.probe = nil }
            switch result.response.outcome {
            case .accepted, .unregistered, .rejected, .misconfigured, .platformMisconfigured: pause.taken(now: now)
            case .retry(let asked, .lane):
                pause.fault(asked: asked, isOfLane: true, isProbe: isProbe, now: now)
                cause = LaneCause(result.response)
            case .retry(_, .laneIfSeveral):
                pause.fault(asked: nil, isOfLane: false, isProbe: isProbe, now: now)
                cause = LaneCause(result.response)
            case .retry(_, .device): break
            case .unknown, .notSent:
                // A probe without a response counts as a fault.
                if isProbe { pause.fault(asked: nil, isOfLane: false, isProbe: true, now: now) }
                return
            }
            unsent.sent()
        }

        /// Returns until when what may leave waits for the provider's quota; nil when it does not wait.
        func quotaUntil(now: Timestamp) -> Timestamp? {
            guard let quotaWait, quotaWait.until > now, let first = ready.firstClass, first >= quotaWait.pushClass
            else {
                return nil
            }
            return quotaWait.until
        }

        /// Returns until when what may leave waits for the provider's quota or the lane's pace; nil when it does not wait.
        package func limitedUntil(now: Timestamp) -> Timestamp? {
            let paced = ready.isEmpty ? nil : pace?.until(now: now)
            guard let limited = quotaUntil(now: now) else { return paced }
            return max(limited, paced ?? limited)
        }

        /// Returns whether something may leave now.
        func hasWork(now: Timestamp) -> Bool {
            !ready.isEmpty && blockedUntil(now: now) == nil && limitedUntil(now: now) == nil
        }

        /// Returns when the lane may next send; nil when it may send now.
        package func blockedUntil(now: Timestamp) -> Timestamp? {
            var until: Timestamp?
            if let end = pause.until, end > now { until = end }
            if case .open(let end) = breaker, end > now { until = max(until ?? end, end) }
            if let end = invalidation.until, end > now { until = max(until ?? end, end) }
            return until
        }
    }
}
