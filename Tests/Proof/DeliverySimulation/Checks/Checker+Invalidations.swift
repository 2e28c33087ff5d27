import Delivery
import GatewayModel
import GatewayStorage

extension Checker {
    /// The checker's view of whether a lane's provider must not be believed that devices are gone.
    struct LaneDoubts: Sendable {
        /// Devices that were stopped for the first time, with the time.
        var stops: [(at: Timestamp, registration: RegistrationID)] = []
        /// Whether so many were stopped that none may end before a push is accepted.
        var isDoubted = false
        /// The number of pushes that had left the lane when that began.
        var taken = 0
    }

    /// Checks a commit that stopped devices, ended them or put them back.
    mutating func checkInvalidations(
        of turn: WriterTurn,
        _ result: WriterTurnResult,
        _ store: SimulatedStore
    ) throws(Violation) {
        for (request, ended) in zip(turn.invalidations, result.invalidations) where !ended.registrations.isEmpty {
            let place = Int(request.lane.rawValue) - 1
            try expect(.registrationsAreKept, !doubts[place].isDoubted) {
                "registrations \(ended.registrations) end while their provider reports too many devices as gone"
            }
            let wait = settings.invalidation.waitSeconds
            for registration in ended.registrations {
                let stoppedAt = delivered.registrations[Int(registration.rawValue) - 1]?.stoppedAt
                try expect(.registrationsAreKept, stoppedAt.map { $0.adding(seconds: wait) <= turn.now } ?? false) {
                    "registration \(registration) ends too soon after it was reported as gone"
                }
            }
        }
        for putBack in result.putBacks.flatMap(\.registrations) {
            restored.insert(putBack)
            for id in store.registration(putBack.rawValue)?.pending ?? [] { tracked[Int(id) - 1].isGone = false }
        }
        for (lane, stopped) in result.stopped {
            let place = Int(lane.rawValue) - 1
            let since = turn.now.adding(seconds: -settings.invalidation.waitSeconds)
            doubts[place].stops.removeAll { $0.at <= since }
            for registration in stopped.registrations
            where !restored.contains(registration) && !stopped.imported.contains(registration) {
                doubts[place].stops.append((turn.now, registration))
            }
            let most = settings.invalidation.most(of: stopped.devices)
            guard doubts[place].stops.count > most, !doubts[place].isDoubted else { continue }
            doubts[place].isDoubted = true
            doubts[place].taken = pushes
        }
    }

    /// Ends the doubts when a provider accepted a push that left after they began.
    mutating func accepted(_ flight: Flight) {
        let place = tracked[Int(flight.job.delivery.rawValue) - 1].lane
        guard doubts[place].isDoubted, flight.number > doubts[place].taken else { return }
        doubts[place] = LaneDoubts()
    }

    /// Forgets the devices that were stopped in the last minutes, because nobody knows their number any more.
    mutating func forgetStops() { for place in doubts.indices { doubts[place].stops = [] } }
}
