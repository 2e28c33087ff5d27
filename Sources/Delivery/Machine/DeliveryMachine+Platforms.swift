import DequeModule
import GatewayModel
import GatewayStorage
import PushProviders

/// Breakers for single platforms: a provider that forwards pushes may have a wrong credential of its own for one
/// platform, as FCM for APNs and Web Push.
///
/// Then the devices of that platform wait in the store, and the lane's other devices are served.
extension DeliveryMachine {
    /// Updates the platform's breaker from a push result.
    mutating func followPlatform(_ result: PushResult, of push: InFlight, now: Timestamp) {
        guard let place = lanes.place(of: push.lane) else { return }
        let known = lanes[place].platforms[push.platform]
        switch result.response.outcome {
        case .platformMisconfigured:
            let breaker: PlatformBreaker
            if var known {
                // Other pushes left before the platform was stopped.
                guard known.probe == result.delivery else { return }
                known.refused(now: now, settings)
                breaker = known
            } else {
                breaker = PlatformBreaker(now: now, settings)
                let (status, reason) = (result.response.status, result.response.reason)
                let alert = LaneAlert.platformStopped(
                    push.platform,
                    until: breaker.until,
                    status: status,
                    reason: reason
                )
                alerts.append((push.lane, alert))
            }
            lanes[place].platforms[push.platform] = breaker
        case .accepted:
            guard let known, known.probe == result.delivery else { return }
            lanes[place].platforms[push.platform] = nil
            alerts.append((push.lane, .platformRecovered(push.platform)))
        // Judged before it was forwarded, or not at all: no information about the platform.
        case .unregistered, .retry, .rejected, .misconfigured, .unknown, .notSent:
            guard let known, known.probe == result.delivery else { return }
            lanes[place].platforms[push.platform]?.probe = nil
        }
    }

    /// Returns when a push that was rejected because of its platform is tried again.
    func platformDue(of push: InFlight, now: Timestamp) -> Timestamp {
        lanes[push.lane]?.platforms[push.platform]?.wait(now: now, settings)
            ?? now.adding(seconds: settings.breakerFirstSeconds)
    }

    /// Requeues the rows of a registration whose platform is stopped until it is tried again; none of them is in
    /// flight, and the lane is not in ``lanes`` meanwhile.
    mutating func setAside(
        _ registration: inout Registration,
        _ key: RegistrationID,
        _ lane: inout Lane,
        until: Timestamp
    ) {
        while let row = registration.head {
            registration.head = registration.tail.popFirst()
            lane.rows.remove(row)
            deviceRows.removed(key)
            release(row, due: until, isAsked: true)
            lane.noteBacklog(row.queue, due: until)
        }
        registration.requeuedRows = RequeuedRows(due: until, outcome: outcomesAdded, isAsked: true)
        requeuedRows.insert(key)
    }
}
