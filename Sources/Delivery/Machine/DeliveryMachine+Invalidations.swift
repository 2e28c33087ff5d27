import GatewayModel
import GatewayStorage

/// Devices that providers report as gone: stopped by the store at once, ended later, or put back.
extension DeliveryMachine {
    /// Takes what a start found of a lane's stopped devices.
    mutating func takeStopped(_ found: StoppedAtStart, of id: LaneID, now: Timestamp) {
        addLane(id)
        let invalidation = InvalidationGuard(found, now: now, settings.invalidation)
        lanes[id]?.invalidation = invalidation
        if !invalidation.isIdle { guarded.insert(id) }
        if invalidation.isSuspended {
            alerts.append((id, .suspended(gone: found.counts.reduce(0) { $0 + $1.count }, of: found.devices)))
        }
    }

    /// Handles devices that a commit has stopped.
    private mutating func follow(_ stopped: [LaneID: StoppedDevices], at time: Timestamp, now: Timestamp) {
        for id in stopped.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let devices = stopped[id] else { continue }
            addLane(id)
            guarded.insert(id)
            let uncounted = lanes[id]?.isProven == true ? devices.imported : []
            let gone = lanes[id]?.invalidation.stopped(
                devices,
                uncounted: uncounted,
                at: time,
                now: now,
                settings.invalidation
            )
            if let gone {
                alerts.append((id, .suspended(gone: gone, of: devices.devices)))
            }
        }
    }

    /// Plans the work on stopped devices, a few in each turn.
    mutating func planInvalidations(_ plan: inout TurnPlan, now: Timestamp) {
        guard !guarded.isEmpty, !isDraining else { return }
        var left = settings.invalidation.devicesPerTurn
        for id in guarded.sorted(by: { $0.rawValue < $1.rawValue }) where left > 0 {
            guard let lane = lanes[id] else { continue }
            let isSuspended = lane.invalidation.phase != .believing
            if isSuspended != lane.invalidation.isStoredSuspended { plan.suspensions[id] = isSuspended }
            let work = lane.invalidation.work(
                now: now,
                hasWork: lane.hasPushes(now: now) || lane.isClosed,
                mayEnd: mayExpire,
                settings.invalidation
            )
            switch work {
            case nil: break
            case .end(let stoppedBy):
                plan.invalidations.append(StoppedDeviceRequest(lane: id, stoppedBy: stoppedBy, limit: left))
                left = 0
            case .putBack(let stoppedBy):
                plan.putBacks.append(StoppedDeviceRequest(lane: id, stoppedBy: stoppedBy, limit: left))
                left = 0
            case .putOneBack:
                plan.putBacks.append(StoppedDeviceRequest(lane: id, stoppedBy: now, limit: 1))
                left -= 1
            }
        }
    }

    /// Applies the result of the planned work.
    mutating func followInvalidations(_ result: WriterTurnResult, of committed: WriterTurn, now: Timestamp) {
        follow(result.stopped, at: committed.now, now: now)
        for (id, isSuspended) in committed.suspensions { lanes[id]?.invalidation.isStoredSuspended = isSuspended }
        for (request, ended) in zip(committed.invalidations, result.invalidations) {
            lanes[request.lane]?.invalidation.ended(ended)
        }
        for (request, putBack) in zip(committed.putBacks, result.putBacks) {
            lanes[request.lane]?.invalidation.putBack(putBack, of: request, now: now)
        }
        guarded = guarded.filter { lanes[$0]?.invalidation.isIdle == false }
    }

    /// Updates from a push result whether the provider of its lane is believed.
    mutating func followInvalidation(isAccepted: Bool, _ delivery: DeliveryID, of push: InFlight, now: Timestamp) {
        guard let place = lanes.place(of: push.lane) else { return }
        let isProbe = lanes[place].invalidation.probe == delivery
        let isResumed = lanes[place].invalidation.recordResponse(
            isAccepted: isAccepted,
            of: push.registration,
            isProbe: isProbe,
            now: now
        )
        if isResumed { alerts.append((push.lane, .resumed)) }
    }

    /// Returns when work on stopped devices is due.
    func nextInvalidation(now: Timestamp) -> Timestamp? {
        guarded.compactMap { id in
            guard let lane = lanes[id] else { return nil }
            return lane.invalidation.nextDeadline(
                hasWork: lane.hasPushes(now: now) || lane.isClosed,
                mayEnd: mayExpire,
                settings.invalidation
            )
        }.min()
    }
}

extension DeliveryMachine.Lane {
    /// Returns whether the lane has a push that may leave once the lane may send.
    func hasPushes(now: Timestamp) -> Bool { rows.total > 0 || backlog.values.contains { $0 <= now } }
}
