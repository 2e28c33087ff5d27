import GatewayModel
import GatewayStorage
import TurnRules

/// Devices whose tokens a provider reports as dead: hidden at once, ended later, or put back.
extension SimulatedStore {
    /// Hides a registration, and cancels its waiting rows.
    ///
    /// - Parameters:
    ///   - key: The registration.
    ///   - refused: The rejected delivery, if it is in the delivery log because of that.
    ///   - context: The turn.
    mutating func stop(_ key: Int64, _ refused: Int64?, _ context: inout TurnContext) {
        guard let found = registration(key) else { return }
        for id in found.pending { withdraw(id, state: .cancelled, by: .unregistered, &context) }
        registrations[Int(key) - 1]?.isActive = false
        registrations[Int(key) - 1]?.stoppedAt = now
        registrations[Int(key) - 1]?.stopped = found.pending + [refused].compactMap { $0 }
        context.noteStopped(key, lane: found.lane.rawValue)
    }

    /// Ends registrations whose devices are gone.
    mutating func invalidate(_ request: StoppedDeviceRequest, _ context: inout TurnContext) -> StoppedDeviceResult {
        let found = stoppedDevices(of: request.lane, by: request.stoppedBy).prefix(request.limit)
        for key in found { end(key, by: .unregistered, &context) }
        return result(found, of: request)
    }

    /// Puts back devices that a provider was wrong about, and requeues their deliveries.
    mutating func putBack(_ request: StoppedDeviceRequest, _ context: inout TurnContext) -> StoppedDeviceResult {
        let found = stoppedDevices(of: request.lane, by: request.stoppedBy).prefix(request.limit)
        for key in found {
            let stopped = registration(key)?.stopped ?? []
            registrations[Int(key) - 1]?.isActive = true
            registrations[Int(key) - 1]?.stoppedAt = nil
            registrations[Int(key) - 1]?.stopped = []
            guard let found = registration(key), hasLane(found) else { continue }
            for id in stopped.sorted(by: >) { reopen(id, of: key, &context) }
        }
        return result(found, of: request)
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
                if start.counts.last?.at == second {
                    start.counts[start.counts.count - 1].count += 1
                } else {
                    start.counts.append(StoppedCount(at: second, count: 1))
                }
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

    private func result(_ done: ArraySlice<Int64>, of request: StoppedDeviceRequest) -> StoppedDeviceResult {
        let left = stoppedDevices(of: request.lane, by: Timestamp(milliseconds: .max)).first
        return StoppedDeviceResult(
            registrations: done.map { RegistrationID($0) },
            oldest: left.flatMap { registration($0)?.stoppedAt }
        )
    }

    /// Requeues a delivery, unless it has expired or something forbids it.
    private mutating func reopen(_ id: Int64, of key: Int64, _ context: inout TurnContext) {
        let row = delivery(id)
        guard row.expiresAt > now, let found = registration(key),
            row.state == .failed || row.state == .cancelled && row.suppressedBy == .unregistered
        else { return }
        let isAgents = row.message.map { $0.kind == .agent } ?? true
        guard found.receives.contains(isAgents ? .agent : .proactive) else { return }
        if let conversation = row.conversation, row.message != nil,
            row.sequence <= conversations[Int(conversation) - 1].readSequence
        {
            return
        }
        let isReplaced = found.pending.contains { other in
            guard other > id else { return false }
            let newer = delivery(other)
            return row.kind == .badge
                ? newer.kind == .badge
                : row.message?.collapseKey.map { newer.message?.collapseKey == $0 } ?? false
        }
        guard !isReplaced else { return }
        change(id) {
            $0.state = .pending
            $0.suppressedBy = nil
            $0.isHeld = false
            // A merge may have moved the device to another consumer.
            $0.consumer = found.consumer
        }
        let place = pending.firstIndex { $0 > id } ?? pending.endIndex
        pending.insert(id, at: place)
        let own = found.pending.firstIndex { $0 > id } ?? found.pending.endIndex
        registrations[Int(key) - 1]?.pending.insert(id, at: own)
        addWaiting(1, row.queue, of: key, lane: row.lane.rawValue, &context)
    }
}
