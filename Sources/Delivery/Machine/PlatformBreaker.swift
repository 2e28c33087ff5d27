package import GatewayModel

/// The breaker for the devices of one platform of a lane, open because the provider's own credential for that platform
/// is rejected: a value type without a clock, present only while it is open.
///
/// After its wait one push at a time is sent as a probe; the first one that is accepted closes it.
package struct PlatformBreaker: Sendable {
    /// The upper bound of the wait of other pushes of the platform while a probe is in flight, in seconds.
    static let probeSeconds: Int64 = 5

    /// Nothing leaves before this moment.
    private(set) var until: Timestamp
    /// The push that is the probe.
    package var probe: DeliveryID?
    /// The number of times in a row that the platform was rejected.
    private var rejections = 0

    /// Opens the breaker.
    package init(now: Timestamp, _ settings: DeliverySettings) {
        until = now
        refused(now: now, settings)
    }

    /// Notes that the probe was rejected.
    package mutating func refused(now: Timestamp, _ settings: DeliverySettings) {
        until = now.adding(seconds: settings.breakerSeconds(after: rejections))
        rejections += 1
        probe = nil
    }

    /// Returns when the next push of the platform may leave; nil when it may leave now.
    package func wait(now: Timestamp, _ settings: DeliverySettings) -> Timestamp? {
        if until > now { return until }
        guard probe != nil else { return nil }
        return now.adding(seconds: min(Self.probeSeconds, settings.breakerSeconds(after: rejections)))
    }
}

extension DeliverySettings {
    /// Returns how long, in seconds, a credential stops its pushes that was rejected again after `rejections` in a row.
    func breakerSeconds(after rejections: Int) -> Int64 {
        min(breakerFirstSeconds << Int64(min(rejections, 10)), breakerMaxSeconds)
    }
}
