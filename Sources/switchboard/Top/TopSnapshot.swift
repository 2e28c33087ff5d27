import GatewayClient

/// The state of a gateway and its rates between two readings.
struct TopSnapshot {
    /// The lanes of one transport.
    struct Provider {
        var name: String
        /// Pushes that it accepted, and other responses, for each second.
        var accepted, other: Double
        /// The upper bounds of the response time of half and of 99 % of the pushes, in seconds; nil without a push.
        var median, slowest: Double?
        /// Pushes in memory and, of these, in flight.
        var rows, inFlight: Int
        /// The longest wait of a push that could leave, in seconds.
        var oldestWait: Double
        /// Connections that take pushes.
        var connections: Int
        /// Lanes with an open breaker, suspended lanes, and stopped platforms.
        var stopped, suspended, stoppedPlatforms: Int
    }

    /// The seconds between the readings.
    let seconds: Double
    /// The reason why no events are accepted; nil when they are.
    let problem: String?
    /// Whether nothing expires because the clock may be wrong.
    let isClockGuarded: Bool
    /// Events by result, HTTP requests, pushes to open windows, items of feeds: for each second.
    let events: [String: Double]
    let requests, windowFrames, outboundItems: Double
    /// Failed transactions of the store between the readings.
    let storeErrors: Double
    /// The upper bound of the duration of 99 % of the commits, in seconds; nil without one.
    let slowestCommit: Double?
    /// Cores in use.
    let cores: Double
    /// Gauges of the second reading, by the name that `--json` prints.
    let gauges: [String: Double]
    /// The numbers of canaries by condition, without those that are 0.
    let canaries: [String: Double]
    /// Transports in use, by name.
    let providers: [Provider]
    /// Lanes of a brand as the API lists them; nil when none was named.
    var lanes: [JSONValue]?

    /// Compares two readings.
    init(_ before: TopReading, _ after: TopReading, lanes: [JSONValue]? = nil) {
        let elapsed = (after.time - before.time) / .seconds(1)
        let (old, new) = (before.samples, after.samples)
        /// The increase of a counter; one that fell began again at 0, because the gateway was restarted.
        func increase(_ name: String, _ labels: [String: String] = [:]) -> Double {
            let (first, last) = (old.sum(name, labels), new.sum(name, labels))
            return last < first ? last : last - first
        }
        func rate(_ name: String, _ labels: [String: String] = [:]) -> Double {
            elapsed > 0 ? increase(name, labels) / elapsed : 0
        }
        /// The bound of the bucket within which a share of the observations since the first reading lies.
        func bound(_ share: Double, of name: String, _ labels: [String: String] = [:]) -> Double? {
            let earlier = old.buckets(name, labels)
            let buckets = new.buckets(name, labels).map { bucket in
                let start = earlier.first { $0.bound == bucket.bound }?.count ?? 0
                return (bound: bucket.bound, count: bucket.count < start ? bucket.count : bucket.count - start)
            }
            guard let total = buckets.last?.count, total > 0 else { return nil }
            return buckets.first { $0.count >= share * total }?.bound
        }
        seconds = elapsed
        problem = after.problem
        isClockGuarded = after.isClockGuarded
        events = Dictionary(
            uniqueKeysWithValues: ["accepted", "duplicate", "rejected", "overloaded"].map {
                ($0, rate("switchboard_intake_events_total", ["result": $0]))
            }
        )
        requests = rate("switchboard_http_requests_total")
        windowFrames = rate("switchboard_window_frames_total")
        outboundItems = rate("switchboard_outbound_items_total")
        storeErrors = increase("switchboard_store_errors_total")
        slowestCommit = bound(0.99, of: "switchboard_store_commit_seconds")
        cores = rate("process_cpu_seconds_total")
        gauges = Self.gauges(new)
        canaries = new.sums("switchboard_canaries", by: "condition").filter { $1 > 0 }
        let names = new.sums("switchboard_delivery_owned_rows", by: "provider").keys.sorted()
        let outcomes = "switchboard_delivery_outcomes_total"
        let latency = "switchboard_delivery_provider_latency_seconds"
        let all = names.map { name in
            let labels = ["provider": name]
            let accepted = rate(outcomes, ["provider": name, "outcome": "accepted"])
            func count(_ name: String, _ further: [String: String] = [:]) -> Int {
                Int(exactly: new.sum(name, labels.merging(further) { $1 }).rounded()) ?? 0
            }
            return Provider(
                name: name,
                accepted: accepted,
                other: max(0, rate(outcomes, labels) - accepted),
                median: bound(0.5, of: latency, labels),
                slowest: bound(0.99, of: latency, labels),
                rows: count("switchboard_delivery_owned_rows"),
                inFlight: count("switchboard_delivery_in_flight_pushes"),
                oldestWait: new.sum("switchboard_delivery_oldest_waiting_seconds", labels),
                connections: count("switchboard_provider_connections", ["state": "ready"]),
                stopped: count("switchboard_delivery_open_breaker_lanes"),
                suspended: count("switchboard_delivery_suspended_lanes"),
                stoppedPlatforms: count("switchboard_delivery_stopped_platforms")
            )
        }
        providers = all.filter { new.sum(outcomes, ["provider": $0.name]) > 0 || $0.isUsed }
        self.lanes = lanes
    }

    private static func gauges(_ samples: MetricSamples) -> [String: Double] {
        let names = [
            "pendingEvents": "switchboard_intake_pending_events", "connections": "switchboard_http_open_connections",
            "windows": "switchboard_windows_open", "webhookLagItems": "switchboard_webhook_lag_items",
            "freeBytes": "switchboard_storage_free_bytes", "residentBytes": "process_resident_memory_bytes",
            "openFiles": "process_open_fds", "maxFiles": "process_max_fds",
            "startedAtSeconds": "process_start_time_seconds",
        ]
        var gauges = names.mapValues { samples.sum($0) }
        gauges["failingWebhooks"] = samples.sum("switchboard_webhooks", ["condition": "failing"])
        return gauges
    }

    /// The snapshot as `--json` prints it.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "seconds": Self.number(seconds),
            "ready": .bool(problem == nil),
            "problem": problem.map { .string($0) } ?? .null,
            "clockGuarded": .bool(isClockGuarded),
            "eventsPerSecond": .object(events.mapValues(Self.number)),
            "requestsPerSecond": Self.number(requests),
            "windowFramesPerSecond": Self.number(windowFrames),
            "outboundItemsPerSecond": Self.number(outboundItems),
            "storeErrors": Self.number(storeErrors),
            "commitSecondsP99": Self.number(slowestCommit),
            "cores": Self.number(cores),
            "providers": .array(providers.map(\.json)),
            "canaries": .object(canaries.mapValues(Self.number)),
        ]
        members.merge(gauges.mapValues(Self.number)) { $1 }
        if let lanes { members["lanes"] = .array(lanes) }
        return .object(members)
    }

    /// JSON has no infinity: a bound above all others is null too.
    fileprivate static func number(_ value: Double?) -> JSONValue {
        value.flatMap { $0.isFinite ? .number($0) : nil } ?? .null
    }
}

extension TopSnapshot.Provider {
    /// Whether it has something to show.
    fileprivate var isUsed: Bool {
        rows + inFlight + connections + stopped + suspended + stoppedPlatforms > 0 || oldestWait > 0
    }

    fileprivate var json: JSONValue {
        [
            "provider": .string(name),
            "acceptedPerSecond": TopSnapshot.number(accepted),
            "otherPerSecond": TopSnapshot.number(other),
            "latencySecondsP50": TopSnapshot.number(median), "latencySecondsP99": TopSnapshot.number(slowest),
            "rows": .integer(Int64(rows)), "inFlight": .integer(Int64(inFlight)),
            "oldestWaitSeconds": TopSnapshot.number(oldestWait), "connections": .integer(Int64(connections)),
            "stoppedLanes": .integer(Int64(stopped)), "suspendedLanes": .integer(Int64(suspended)),
            "stoppedPlatforms": .integer(Int64(stoppedPlatforms)),
        ]
    }

    /// The state in words.
    var state: String {
        let parts = [
            (stopped, "stopped"), (suspended, "suspended"), (stoppedPlatforms, "platforms stopped"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        if !parts.isEmpty { return parts.joined(separator: ", ") }
        return accepted > 0 ? "sends" : rows > 0 ? "waits" : "idle"
    }
}
