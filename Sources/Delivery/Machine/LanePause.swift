package import GatewayModel

/// A pause of a lane while its provider is overloaded: a value type without a clock.
///
/// A pause begins when the provider asks the whole lane to wait, or after several faults within a second without an
/// accepted push between them; fewer faults are attributed to their devices. After the wait, one push at a time is sent
/// as a probe; the first one that is accepted ends the pause. The wait of a single delivery does not count.
package struct LanePause: Sendable {
    /// The time within which faults in a row begin a pause.
    static let faultMilliseconds: Int64 = 1000
    /// The waits when the provider asks for none; the last one repeats.
    static let waitSeconds: [Int64] = [1, 2, 5]
    /// The upper bound of a wait that a provider asks for: a longer one would only let the backlog grow, and a probe
    /// costs one push.
    static let maxSeconds: Int64 = 60

    /// The number of faults in a row that begins a pause; at least 1.
    let manyFaults: Int
    /// The time until which nothing leaves; in the past while probes leave; nil when there is no pause.
    package private(set) var until: Timestamp?
    /// The push that is the probe.
    var probe: DeliveryID?
    /// The number of waits of this pause that were followed by another.
    private var waits = 0
    /// The faults in a row, and the time of the first one's result.
    private var faults = 0
    private var firstFault: Timestamp?

    /// Creates a state without a pause.
    package init(manyFaults: Int) { self.manyFaults = manyFaults }

    /// Returns whether only one push at a time may leave; false when there is no pause, and until its wait is over.
    package func isProbing(now: Timestamp) -> Bool { until.map { $0 <= now } ?? false }

    /// Notes that the provider could not take a push for a reason that may hold for the whole lane, or that the probe
    /// had no response; `asked` are the seconds that the provider asked the lane to wait.
    ///
    /// If `isOfLane`, the reason holds for the whole lane, however few pushes met it.
    package mutating func fault(asked: Int64?, isOfLane: Bool, isProbe: Bool, now: Timestamp) {
        if let until {
            if isProbe {
                waits += 1
                begin(asked: asked, now: now)
            } else if let asked {
                // The push was in flight when the pause began.
                self.until = max(until, now.adding(seconds: min(asked, Self.maxSeconds)))
            }
        } else if isManyFaults(now: now) || isOfLane {
            begin(asked: asked, now: now)
        }
    }

    /// Notes that the provider accepted or judged a push.
    ///
    /// A push that was in flight when the pause began does not end it.
    package mutating func taken(now: Timestamp) {
        faults = 0
        if let until, until > now { return }
        self = LanePause(manyFaults: manyFaults)
    }

    private mutating func begin(asked: Int64?, now: Timestamp) {
        let own = Self.waitSeconds[min(waits, Self.waitSeconds.count - 1)]
        until = max(until ?? now, now.adding(seconds: min(max(asked ?? 0, own), Self.maxSeconds)))
        faults = 0
    }

    private mutating func isManyFaults(now: Timestamp) -> Bool {
        if let firstFault, abs(now.milliseconds - firstFault.milliseconds) < Self.faultMilliseconds {
            faults += 1
        } else {
            faults = 1
            firstFault = now
        }
        return faults >= manyFaults
    }
}

/// The wait of a lane's pushes that were provably not sent: a value type without a clock.
///
/// Such a push does not count as an attempt, so that it has no retry delay. The first ones leave again at once, since
/// the orderly end of a connection is no fault; when those are not sent either, the waits grow until one has a
/// response.
package struct UnsentWait: Sendable {
    /// The waits; the last one repeats.
    static let seconds: [Int64] = [0, 1, 2, 5]

    private var place = 0
    /// The time at which the first push of this wait returned; nil when all were sent.
    private var since: Timestamp?

    /// Creates a state in which no push was left unsent.
    package init() {}

    /// Returns when a push that left at `takenAt` and was not sent may leave again, not before `now`; one that was in
    /// flight when the wait began does not extend it.
    package mutating func due(takenAt: Timestamp, now: Timestamp) -> Timestamp {
        guard let begun = since, begun <= now else {
            since = now
            return now.adding(seconds: Self.seconds[place])
        }
        if takenAt >= begun {
            place = min(place + 1, Self.seconds.count - 1)
            since = now
            return now.adding(seconds: Self.seconds[place])
        }
        return max(now, begun.adding(seconds: Self.seconds[place]))
    }

    /// Notes that a push was sent and has a response.
    package mutating func sent() { self = UnsentWait() }
}
