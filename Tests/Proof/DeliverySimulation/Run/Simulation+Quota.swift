import Delivery
import GatewayModel
import PushProviders

/// The shared quota of the providers of the first two lanes.
extension Simulation {
    /// The current quota; nil sets no limit.
    private var quota: PushQuota? {
        plan.quota.map { PushQuota(group: $0.group, perMinute: isQuotaRaised ? 2 * $0.perMinute : $0.perMinute) }
    }

    /// Returns whether a lane has a quota.
    func isLimited(_ lane: Int) -> Bool { lane < 2 && plan.quota != nil }

    /// Passes the quota to the state machine, which then has no record of earlier pushes.
    mutating func setQuotas() {
        departures = []
        guard sabotage != .hideQuota else { return }
        for lane in flights.indices where isLimited(lane) && !isGone(lane) {
            writer.delivery.setQuota(quota, of: LaneID(Int64(lane) + 1))
        }
    }

    /// Checks that in no period more pushes leave than those of one second plus those of the period itself.
    mutating func checkQuota(_ count: Int, on lane: Int) throws(Violation) {
        try expect(.quotaIsKept, writer.delivery.knowsUsedQuotas) { "a quota is remembered that no lane has" }
        guard isLimited(lane), let quota, !checker.hasJumped else { return }
        departures += Array(repeating: now, count: count)
        for (place, since) in departures.enumerated() {
            let most = quota.perMinute / 61 * (1000 + now.milliseconds - since.milliseconds) / 1000
            try expect(.quotaIsKept, departures.count - place <= most) {
                "\(departures.count - place) pushes leave from \(since.milliseconds) to \(now.milliseconds), at most \(most) may"
            }
        }
    }
}
