package import GatewayModel

/// Whether a lane's provider is left alone because it is overloaded: a plain value without a clock.
///
/// A pause begins with a wait that the provider asks the whole lane for, or with several faults within a second and no push
/// taken between them: fewer are taken for their devices'. When its time is over one push at a time finds out whether the
/// provider is well again; the first that it takes ends the pause. No delivery's own wait counts.
package struct LanePause: Sendable {
    /// Faults in a row begin a pause within this time.
    static let faultMilliseconds: Int64 = 1000
    /// How long each further wait is when the provider asks for none; the last one repeats.
    static let waitSeconds: [Int64] = [1, 2, 5]
    /// Nothing that a provider asks for makes a longer pause: what waits would only grow, and a probe costs one push.
    static let maxSeconds: Int64 = 60

    /// This many faults in a row begin a pause.
    let manyFaults: Int
    /// Until when nothing leaves; in the past while pushes are tried one at a time; nil when there is no pause.
    package private(set) var until: Timestamp?
    /// The push that finds out whether it is over.
    var probe: DeliveryID?
    /// How many waits of this pause were followed by another.
    private var waits = 0
    /// Faults in a row, and when the first of them was answered.
    private var faults = 0
    private var firstFault: Timestamp?

    /// No pause.
    ///
    /// - Parameter manyFaults: So many faults in a row begin one; at least 1.
    package init(manyFaults: Int) { self.manyFaults = manyFaults }

    /// Whether only one push at a time may leave.
    ///
    /// - Parameter now: The wall clock.
    /// - Returns: False when there is no pause, and until its time is over.
    package func isProbing(now: Timestamp) -> Bool { until.map { $0 <= now } ?? false }

    /// The provider could not take a push for a reason that may hold for the whole lane, or the push that finds out was not
    /// answered at all.
    ///
    /// - Parameters:
    ///   - asked: The seconds that it asked the lane to wait.
    ///   - isOfLane: Whether the reason holds for the whole lane, however few met it.
    ///   - isProbe: Whether it was the push that finds out.
    ///   - now: The wall clock.
    package mutating func fault(asked: Int64?, isOfLane: Bool, isProbe: Bool, now: Timestamp) {
        if let until {
            if isProbe {
                waits += 1
                begin(asked: asked, now: now)
            } else if let asked {
                // What was on its way when the pause began.
                self.until = max(until, now.adding(seconds: min(asked, Self.maxSeconds)))
            }
        } else if isManyFaults(now: now) || isOfLane {
            begin(asked: asked, now: now)
        }
    }

    /// The provider took or judged a push.
    ///
    /// What was on its way when the pause began does not end it.
    ///
    /// - Parameter now: The wall clock.
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

/// How long pushes of a lane wait that were provably not sent: a plain value without a clock.
///
/// Such a push counts no try, so that nothing of its own makes it wait. The first ones leave again at once, since a
/// connection that ends in good order is no fault; when those are not sent either, the waits grow until one is answered.
package struct UnsentWait: Sendable {
    /// The waits; the last one repeats.
    static let seconds: [Int64] = [0, 1, 2, 5]

    private var place = 0
    /// When the first push came back that began this wait; nil when all were sent.
    private var since: Timestamp?

    /// Nothing was left unsent.
    package init() {}

    /// When a push that was not sent may leave again; one that was on its way when the wait began makes it no longer.
    ///
    /// - Parameters:
    ///   - takenAt: When the push left.
    ///   - now: The wall clock.
    /// - Returns: Not before `now`.
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

    /// A push was sent and answered.
    package mutating func sent() { self = UnsentWait() }
}
