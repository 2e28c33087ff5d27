package import GatewayModel
import Logging
import Synchronization
import Telemetry

/// The lanes as operators see, pause and pace them.
extension DeliveryService {
    /// Pauses lanes (true) or resumes them (false), as the directory has stored it: after the return, nothing leaves
    /// from a paused lane that is not in flight.
    package func lanesPaused(_ lanes: [LaneID: Bool]) {
        guard !lanes.isEmpty else { return }
        let now = clock.now
        state.withLock { state in
            for (lane, isPaused) in lanes {
                if isPaused {
                    state.writer.delivery.pauseLane(lane, now: now)
                } else {
                    state.writer.delivery.resumeLane(lane, now: now)
                }
            }
        }
        signal()
        for (lane, isPaused) in lanes {
            logger.notice(
                isPaused ? "an operator paused a lane; its pushes wait" : "an operator resumed a lane",
                metadata: [LogKey.laneName: "\(name(of: lane))"]
            )
        }
    }

    /// Sets the paces of lanes, in pushes a second, or removes them (nil), as the directory has stored it.
    package func lanesPaced(_ lanes: [LaneID: Int64?]) {
        guard !lanes.isEmpty else { return }
        let now = clock.now
        state.withLock { state in
            for (lane, pace) in lanes { state.writer.delivery.setPace(pace, of: lane, now: now) }
        }
        signal()
        for (lane, pace) in lanes {
            let text = pace.map { "an operator set a lane's pace to \($0) pushes a second" }
            logger.notice(
                "\(text ?? "an operator removed a lane's pace")",
                metadata: [LogKey.laneName: "\(name(of: lane))"]
            )
        }
    }

    /// Returns the name of a lane for the log; its number when its app has no credential for it.
    private func name(of lane: LaneID) -> String { directory.lane(lane).map { "\($0.key)" } ?? "\(lane)" }

    /// Returns how the pushes of lanes met their brands' objectives.
    package func objectiveStatus(of lanes: [LaneID]) -> [ObjectiveStatus] {
        let now = clock.now
        return state.withLock { state in
            lanes.map { state.writer.delivery.objectiveStatus(of: $0, now: now) }
        }
    }

    /// Returns the states of lanes.
    package func status(of lanes: [LaneID]) -> [LaneStatus] {
        let now = clock.now
        let faults = providers.withLock { $0.faults }
        var found = state.withLock { state in lanes.map { state.writer.delivery.status(of: $0, now: now) } }
        for (index, lane) in lanes.enumerated() {
            guard let fault = faults[lane], [.idle, .sending, .overloaded].contains(found[index].state) else {
                continue
            }
            found[index].state = .unreachable
            found[index].fault = fault
        }
        return found
    }
}
