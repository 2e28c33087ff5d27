import DequeModule
package import GatewayModel
import PushProviders

extension DeliveryMachine {
    /// One way out: what it holds in memory, what waits for it in the store, and whether it may send.
    package struct Lane: Sendable {
        /// Whether a lane's credential works.
        package enum Breaker: Sendable, Equatable {
            /// It works.
            case closed
            /// It was refused: nothing leaves before this moment.
            case open(until: Timestamp)
            /// One push is on its way to see whether it works again.
            case trying
        }

        /// Rows in memory: waiting or on their way.
        package internal(set) var rows = RowCounts()
        /// Rows on their way.
        package internal(set) var inFlight = 0
        /// When the first row is due that waits in the store, by its queue.
        package internal(set) var backlog: [OutboxQueue: Timestamp] = [:]
        /// Whether the credential works.
        package internal(set) var breaker = Breaker.closed
        /// The number of its provider: one with an older number takes nothing more.
        package internal(set) var provider: UInt64 = 0
        /// The number of its credential: what is answered for an older one says nothing of this.
        var credential: UInt64 = 0
        /// Platforms whose devices the provider cannot reach.
        var platforms: [DevicePlatform: PlatformBreaker] = [:]
        /// How many platforms' devices are stopped.
        package var stoppedPlatforms: Int { platforms.count }
        /// Whether the provider is overloaded.
        package internal(set) var pause: LanePause
        /// Whether the provider is believed that devices are gone.
        package internal(set) var invalidation = InvalidationGuard()
        /// What its provider takes in a minute; nil sets no limit.
        var quota: PushQuota?
        /// Until when nothing of a class or of later ones leaves, because the quota is used up.
        var quotaWait: (until: Timestamp, pushClass: PushClass)?
        /// How long what was not sent waits.
        var unsent = UnsentWait()

        /// Registrations with a row that may leave.
        var ready = ReadyQueue()
        /// How often in a row the credential was refused.
        var refusals = 0
        /// How many tokens in a row were quarantined.
        var quarantined = 0
        /// The backlog that arrived while a claim was under way is kept through the claim's answer.
        var backlogDuringTurn: [OutboxQueue: Timestamp] = [:]
        /// Whether turns look at it; kept by ``LaneTable``.
        var isBusy = false
        /// It has no credential, or its app or brand is gone: nothing is taken for it until it is started over.
        var isRemoved = false

        init(_ settings: DeliverySettings) { pause = LanePause(manyFaults: settings.faultsBeforePause) }

        mutating func noteBacklog(_ queue: OutboxQueue, due: Timestamp) {
            backlog[queue] = min(backlog[queue] ?? due, due)
            backlogDuringTurn[queue] = min(backlogDuringTurn[queue] ?? due, due)
        }

        /// Looks at all queues again that may have rows in the store.
        mutating func noteBacklogs(due: Timestamp) {
            for queue in queues { noteBacklog(queue, due: due) }
        }

        /// The queues that may have rows in the store.
        var queues: Set<OutboxQueue> { Set(backlog.keys).union([.agent, .badge, .proactive(campaign: nil)]) }

        /// Whether a turn has nothing to do with it but to take new rows for it, and nothing but a change makes that otherwise.
        ///
        /// What waits in the store for one that is removed waits until it is started over.
        var isIdle: Bool {
            guard rows.total == 0, invalidation.isIdle else { return false }
            return isRemoved || backlog.isEmpty && breaker == .closed && pause.until == nil
        }

        /// Stops it because its credential is refused, or the tokens of its devices are, one after the other.
        ///
        /// - Returns: False when it was stopped already; what was on its way then says nothing new.
        mutating func openBreaker(now: Timestamp, _ settings: DeliverySettings) -> Bool {
            if case .open(let until) = breaker, until > now { return false }
            breaker = .open(until: now.adding(seconds: settings.breakerSeconds(after: refusals)))
            refusals += 1
            return true
        }

        /// What an answer says of how well the provider is.
        mutating func followLoad(_ result: PushResult, now: Timestamp) {
            let isProbe = pause.probe == result.delivery
            if isProbe { pause.probe = nil }
            switch result.answer.outcome {
            case .accepted, .unregistered, .rejected, .misconfigured, .platformMisconfigured: pause.taken(now: now)
            case .retry(let asked, .lane): pause.fault(asked: asked, isOfLane: true, isProbe: isProbe, now: now)
            case .retry(_, .laneIfSeveral): pause.fault(asked: nil, isOfLane: false, isProbe: isProbe, now: now)
            case .retry(_, .device): break
            case .unknown, .notSent:
                // No answer to the push that finds out is no better than a fault.
                if isProbe { pause.fault(asked: nil, isOfLane: false, isProbe: true, now: now) }
                return
            }
            unsent.sent()
        }

        /// Until when what may leave waits for the provider's quota; nil when it does not.
        func quotaUntil(now: Timestamp) -> Timestamp? {
            guard let quotaWait, quotaWait.until > now, let first = ready.firstClass, first >= quotaWait.pushClass
            else {
                return nil
            }
            return quotaWait.until
        }

        /// Whether something may leave now.
        func hasWork(now: Timestamp) -> Bool {
            !ready.isEmpty && blockedUntil(now: now) == nil && quotaUntil(now: now) == nil
        }

        /// When the lane may next send, if not now.
        ///
        /// - Parameter now: The wall clock.
        /// - Returns: Nil when it may.
        package func blockedUntil(now: Timestamp) -> Timestamp? {
            var until: Timestamp?
            if let end = pause.until, end > now { until = end }
            if case .open(let end) = breaker, end > now { until = max(until ?? end, end) }
            if let end = invalidation.until, end > now { until = max(until ?? end, end) }
            return until
        }
    }
}
