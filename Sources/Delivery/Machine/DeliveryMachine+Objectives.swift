package import GatewayModel
package import GatewayStorage

/// The pushes that count for their brand's objective: those of agents' messages.
///
/// One that was held back on purpose, by quiet hours or an open messaging window, does not count, and one whose device is
/// gone neither. A push that waits counts when it is accepted or has ended.
extension DeliveryMachine {
    /// Returns how the pushes of a lane met its brand's objective; without one, there are none.
    package func objectiveStatus(of lane: LaneID, now: Timestamp) -> ObjectiveStatus {
        objectives[lane]?.status(now: now) ?? ObjectiveStatus()
    }

    /// Returns the time within which a push is to be accepted, in seconds; nil when it does not count.
    mutating func objectiveSeconds(of row: OutboxRow, _ rules: LaneRules?) -> Int64? {
        guard let rules, let seconds = rules.objectiveSeconds, row.isTimed, row.message != nil,
            row.queue.pushClass == .agent
        else { return nil }
        if rules.quietHours != nil || row.traits?.quietHours != nil,
            let quiet = quiet(row, row.traits, rules, now: row.queuedAt), quiet.mode == .held
        {
            return nil
        }
        return seconds
    }

    /// Counts a push that was in flight, if it has finished and the objective is still the one that it was sent under.
    mutating func countForObjective(
        _ push: InFlight,
        _ disposition: OutcomeRecord.Disposition,
        _ response: PushResponse,
        now: Timestamp
    ) {
        guard let seconds = push.objectiveSeconds, rules[push.lane]?.objectiveSeconds == seconds,
            let isInTime = Self.isInTime(disposition, response, end: push.queuedAt.adding(seconds: seconds))
        else { return }
        objectives[push.lane, default: ObjectiveCounts()].add(isInTime: isInTime, now: now)
    }

    /// Counts a push that has expired, unsent.
    mutating func countExpired(_ row: OutboxRow, now: Timestamp) {
        let rules = rules.isEmpty ? nil : rules[row.lane]
        guard objectiveSeconds(of: row, rules) != nil else { return }
        objectives[row.lane, default: ObjectiveCounts()].add(isInTime: false, now: now)
    }

    /// Returns whether a finished push was accepted before the end of its time; nil when it is not finished, or not
    /// because of its provider or the gateway.
    package static func isInTime(
        _ disposition: OutcomeRecord.Disposition,
        _ response: PushResponse,
        end: Timestamp
    ) -> Bool? {
        guard case .finished(let state, _) = disposition else { return nil }
        switch state {
        case .accepted: return response.sentAt.adding(milliseconds: response.latencyMilliseconds) <= end
        case .expired: return false
        case .failed:
            if case .rejected(.keep) = response.outcome { return false }
            return nil
        default: return nil
        }
    }
}
