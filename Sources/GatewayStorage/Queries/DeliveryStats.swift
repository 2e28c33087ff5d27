package import GatewayModel

/// How far back statistics look.
///
/// They are kept by whole minutes, hours and days of UTC: the window begins at the beginning of the one that it falls
/// into, so that it is up to one of them longer than asked.
package struct StatsWindow: Sendable, Equatable {
    /// The longest window, in seconds: 30 days.
    package static let longest: Int64 = 30 * 86_400

    /// The window, in seconds.
    package let seconds: Int64

    /// Takes a window.
    ///
    /// - Parameter seconds: Brought into one minute to ``longest``.
    package init(seconds: Int64) { self.seconds = min(max(seconds, 60), Self.longest) }

    /// How exact its beginning is, in seconds: a minute up to an hour, an hour up to three days, a day beyond.
    ///
    /// So at most 73 counts are added up.
    package var unit: Int64 {
        if seconds <= 3600 { return 60 }
        return seconds <= 3 * 86_400 ? 3600 : 86_400
    }

    /// Its beginning.
    ///
    /// - Parameter now: Its end.
    /// - Returns: The beginning of the unit that lies the window before its end.
    package func start(now: Timestamp) -> Timestamp {
        let length = unit * 1000
        let start = now.milliseconds - seconds * 1000
        return Timestamp(milliseconds: (start >= 0 ? start : start - length + 1) / length * length)
    }
}

/// Counts of a brand's deliveries that were queued in a window of time.
package struct DeliveryStats: Sendable, Equatable {
    /// How many of a provider's deliveries have a state and a reason.
    package struct Count: Sendable, Equatable {
        /// The transport.
        package var provider: PushType
        /// Where they stand.
        package var state: DeliveryState
        /// The provider's reason in the last answer.
        package var reason: String?
        /// How many.
        package var count: Int64

        /// Takes a count.
        ///
        /// - Parameters:
        ///   - provider: The transport.
        ///   - state: Where they stand.
        ///   - reason: The provider's reason in the last answer.
        ///   - count: How many.
        package init(provider: PushType, state: DeliveryState, reason: String?, count: Int64) {
            self.provider = provider
            self.state = state
            self.reason = reason
            self.count = count
        }
    }

    /// How long providers took to answer, in milliseconds: each at most 1/128 above what it was.
    package struct Latency: Sendable, Equatable {
        /// How many answers were counted.
        package var count: Int64 = 0
        /// Half of them took no longer.
        package var p50: Int64 = 0
        /// Nine of ten took no longer.
        package var p90: Int64 = 0
        /// 99 of 100 took no longer.
        package var p99: Int64 = 0
        /// 999 of 1,000 took no longer.
        package var p999: Int64 = 0
        /// None took longer.
        package var max: Int64 = 0

        /// Of no answers.
        package init() {}
    }

    /// The finished ones, by provider, state and reason.
    package var finished: [Count] = []
    /// Those in the outbox, by provider and state; without reasons.
    package var unfinished: [Count] = []
    /// False when the outbox holds more rows than were looked at: then ``unfinished`` counts only the youngest.
    package var isUnfinishedWhole = true
    /// What providers and devices say of the finished ones.
    package var reports = DeliveryReports()
    /// How long each provider took.
    package var latency: [PushType: Latency] = [:]
    /// How long all took.
    package var allLatency = Latency()

    /// Nothing.
    package init() {}
}
