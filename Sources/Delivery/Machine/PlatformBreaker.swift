package import GatewayModel

/// Whether the devices of one platform of a lane are stopped, because the provider's own credential for that platform is refused: a
/// plain value without a clock, there only while they are.
///
/// When its time is over one push at a time finds out whether they can be reached again; the first that is accepted ends it.
package struct PlatformBreaker: Sendable {
    /// Others of the platform are looked at again after at most this, in seconds, while a push finds out.
    static let probeSeconds: Int64 = 5

    /// Nothing leaves before this moment.
    private(set) var until: Timestamp
    /// The push that finds out.
    package var probe: DeliveryID?
    /// How often in a row the platform was refused.
    private var refusals = 0

    /// Stops the platform.
    ///
    /// - Parameters:
    ///   - now: The wall clock.
    ///   - settings: How long it is stopped.
    package init(now: Timestamp, _ settings: DeliverySettings) {
        until = now
        refused(now: now, settings)
    }

    /// The push that finds out was refused.
    ///
    /// - Parameters:
    ///   - now: The wall clock.
    ///   - settings: How long it is stopped.
    package mutating func refused(now: Timestamp, _ settings: DeliverySettings) {
        until = now.adding(seconds: settings.breakerSeconds(after: refusals))
        refusals += 1
        probe = nil
    }

    /// When the next push of the platform may leave.
    ///
    /// - Parameters:
    ///   - now: The wall clock.
    ///   - settings: How long it is stopped.
    /// - Returns: Nil when it may now.
    package func wait(now: Timestamp, _ settings: DeliverySettings) -> Timestamp? {
        if until > now { return until }
        guard probe != nil else { return nil }
        return now.adding(seconds: min(Self.probeSeconds, settings.breakerSeconds(after: refusals)))
    }
}

extension DeliverySettings {
    /// How long a refused credential stops what needs it.
    ///
    /// - Parameter refusals: How often in a row it was refused before.
    /// - Returns: Seconds.
    func breakerSeconds(after refusals: Int) -> Int64 {
        min(breakerFirstSeconds << Int64(min(refusals, 10)), breakerMaxSeconds)
    }
}
