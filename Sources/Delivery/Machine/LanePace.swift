package import GatewayModel

/// The pace that an operator has set for a lane: all its pushes share it, agents' messages first.
struct LanePace: Sendable {
    /// The rate, in pushes a second, 1 or more.
    private let perSecond: Int64
    private var bucket: PushPace
    /// Since when the bucket has been empty, and when it should be checked again.
    private var wait: (since: Timestamp, until: Timestamp)?

    /// Creates the pace of a lane from now on.
    init(perSecond: Int64, now: Timestamp) {
        self.perSecond = perSecond
        bucket = PushPace(perSecond: perSecond, now: now)
    }

    /// Returns whether a push may leave now; otherwise the lane waits.
    mutating func admits(now: Timestamp) -> Bool {
        bucket.fill(perSecond: perSecond, now: now)
        wait = nil
        guard bucket.isEmpty else { return true }
        wait = (now, max(bucket.nextPush(perSecond: perSecond, now: now), now.adding(milliseconds: 1)))
        return false
    }

    /// Removes one push.
    mutating func take() { bucket.take(1) }

    /// Returns until when nothing leaves; nil when a push may leave, and when the clock was set back meanwhile.
    func until(now: Timestamp) -> Timestamp? {
        guard let wait, wait.since <= now, now < wait.until else { return nil }
        return wait.until
    }
}

extension DeliveryMachine {
    /// Sets the pace of a lane, in pushes a second, 1 or more; nil removes it.
    package mutating func setPace(_ perSecond: Int64?, of id: LaneID, now: Timestamp) {
        addLane(id)
        lanes[id]?.pace = perSecond.map { LanePace(perSecond: $0, now: now) }
    }
}
