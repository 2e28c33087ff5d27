import GatewayModel
import GatewayStorage
import TurnRules

/// Devices whose tokens a provider reports as dead: hidden at once, ended later, or put back.
extension SimulatedStore {
    mutating func stop(_ stopped: StoredRegistration, _ failed: (id: Int64, expiresAt: Timestamp)?, at now: Timestamp) {
        change(stopped) {
            $0.isActive = false
            $0.stoppedAt = now
            $0.stopped = $0.pending + (failed.map { [$0.id] } ?? [])
        }
    }

    mutating func restore(_ registration: StoredRegistration) -> [(id: Int64, expiresAt: Timestamp)] {
        let stopped = self.registration(registration.id)?.stopped ?? []
        change(registration) {
            $0.isActive = true
            $0.stoppedAt = nil
            $0.stopped = []
        }
        return stopped.sorted(by: >).map { (id: $0, expiresAt: delivery($0).expiresAt) }
    }

    func stoppedDevices(_ request: StoppedDeviceRequest) -> [Int64] {
        Array(stoppedDevices(of: request.lane, by: request.stoppedBy).prefix(request.limit))
    }

    func firstStop(of lane: LaneID) -> Timestamp? {
        stoppedDevices(of: lane, by: Timestamp(milliseconds: .max)).first.flatMap { registration($0)?.stoppedAt }
    }

    /// Returns the stopped devices at a start.
    func stoppedAtStart() -> [LaneID: StoppedAtStart] {
        var found: [LaneID: StoppedAtStart] = [:]
        for place in lanes.indices {
            let lane = LaneID(Int64(place) + 1)
            guard !deletedLanes.contains(lane) else { continue }
            let stopped = stoppedDevices(of: lane, by: Timestamp(milliseconds: .max))
            guard !stopped.isEmpty || suspended.contains(lane) else { continue }
            var start = StoppedAtStart(devices: devices(of: lane), isSuspended: suspended.contains(lane))
            for key in stopped {
                let second = Timestamp(milliseconds: (registration(key)?.stoppedAt?.milliseconds ?? 0) / 1000 * 1000)
                if start.counts.last?.at != second { start.counts.append(StoppedCount(at: second, count: 0)) }
                start.counts[start.counts.count - 1].count += 1
                if registration(key)?.isImported == true { start.counts[start.counts.count - 1].imported += 1 }
            }
            found[lane] = start
        }
        return found
    }

    /// Returns the number of a lane's registrations, including stopped ones.
    func devices(of lane: LaneID) -> Int { registrations.count { $0?.lane == lane } }

    private func stoppedDevices(of lane: LaneID, by moment: Timestamp) -> [Int64] {
        var found: [(stoppedAt: Timestamp, key: Int64)] = []
        for (place, registration) in registrations.enumerated() {
            guard let registration, registration.lane == lane, let stoppedAt = registration.stoppedAt,
                stoppedAt <= moment
            else { continue }
            found.append((stoppedAt, Int64(place) + 1))
        }
        return found.sorted { ($0.stoppedAt, $0.key) < ($1.stoppedAt, $1.key) }.map(\.key)
    }
}
