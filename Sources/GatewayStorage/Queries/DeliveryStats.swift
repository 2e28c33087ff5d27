package import GatewayModel

/// The time range of statistics, which ends now.
///
/// Statistics are stored by whole minutes, hours and days of UTC. The window begins at the start of the unit that it
/// falls into, so that it is up to one unit longer than requested.
package struct StatsWindow: Sendable, Equatable {
    /// The longest window, in seconds: 30 days.
    package static let longest: Int64 = 30 * 86_400

    /// The window, in seconds.
    package let seconds: Int64

    /// Creates a window, clamped to the range from one minute to ``longest``.
    package init(seconds: Int64) { self.seconds = min(max(seconds, 60), Self.longest) }

    /// The resolution of its beginning, in seconds: a minute up to an hour, an hour up to three days, a day beyond.
    ///
    /// So at most 73 counts are summed.
    package var unit: Int64 {
        if seconds <= 3600 { return 60 }
        return seconds <= 3 * 86_400 ? 3600 : 86_400
    }

    /// Returns its beginning: that of the unit that contains the moment one window before its end.
    package func start(now: Timestamp) -> Timestamp {
        let length = unit * 1000
        let start = now.milliseconds - seconds * 1000
        return Timestamp(milliseconds: (start >= 0 ? start : start - length + 1) / length * length)
    }
}

/// Counts of a brand's deliveries that were queued in a window of time.
package struct DeliveryStats: Sendable, Equatable {
    /// The number of a provider's deliveries with a state and a reason.
    package struct Count: Sendable, Equatable {
        /// The transport.
        package var provider: PushType
        /// The state.
        package var state: DeliveryState
        /// The provider's reason in the last response.
        package var reason: String?
        /// The number.
        package var count: Int64

        /// Creates a count.
        package init(provider: PushType, state: DeliveryState, reason: String?, count: Int64) {
            self.provider = provider
            self.state = state
            self.reason = reason
            self.count = count
        }
    }

    /// Response times of providers, in milliseconds: each at most 1/128 above the exact value.
    package struct Latency: Sendable, Equatable {
        /// The number of responses.
        package var count: Int64 = 0
        /// The median.
        package var p50: Int64 = 0
        /// The 90th percentile.
        package var p90: Int64 = 0
        /// The 99th percentile.
        package var p99: Int64 = 0
        /// The 99.9th percentile.
        package var p999: Int64 = 0
        /// The maximum.
        package var max: Int64 = 0

        /// Creates latencies of no responses.
        package init() {}
    }

    /// The finished deliveries, by provider, state and reason.
    package var finished: [Count] = []
    /// The deliveries in the outbox, by provider and state; without reasons.
    package var unfinished: [Count] = []
    /// False when the outbox holds more rows than were read: then ``unfinished`` counts only the youngest.
    package var isUnfinishedWhole = true
    /// The reports of providers and devices about the finished ones.
    package var reports = DeliveryReports()
    /// The response times of each provider.
    package var latency: [PushType: Latency] = [:]
    /// The response times of all providers.
    package var allLatency = Latency()

    /// Creates empty statistics.
    package init() {}
}
