import Delivery
import GatewayModel
import PushProviders

/// The shared quota of the providers of the first two lanes, or the pace of the first one: no plan has both.
extension Simulation {
    /// The current quota; nil sets no limit.
    private var quota: PushQuota? {
        plan.quota.map { PushQuota(group: $0.group, perMinute: isQuotaRaised ? 2 * $0.perMinute : $0.perMinute) }
    }

    /// The current pace; nil sets no limit.
    private var lanePace: Int64? { plan.lanePace.map { isQuotaRaised ? 2 * $0 : $0 } }

    /// Returns whether a lane has a quota or a pace.
    func isLimited(_ lane: Int) -> Bool { lane < 2 && plan.quota != nil || lane == 0 && plan.lanePace != nil }

    /// Passes the quota or the pace to the state machine, which then has no record of earlier pushes.
    mutating func setQuotas() {
        departures = []
        if plan.lanePace != nil, !isGone(0), sabotage != .hideLanePace {
            writer.delivery.setPace(lanePace, of: LaneID(1), now: now)
        }
        guard sabotage != .hideQuota else { return }
        for lane in flights.indices where isLimited(lane) && !isGone(lane) {
            writer.delivery.setQuota(quota, of: LaneID(Int64(lane) + 1))
        }
    }

    /// Checks that in no period more pushes leave than a full bucket, which holds those of a second, or of 80 ms and at
    /// least one, plus those of the period itself.
    mutating func checkQuota(_ count: Int, on lane: Int) throws(Violation) {
        try expect(.quotaIsKept, writer.delivery.knowsUsedQuotas) { "a quota is remembered that no lane has" }
        guard isLimited(lane), !checker.hasJumped else { return }
        let perSecond = lanePace ?? (quota?.perMinute ?? 0) / 61
        let bucket = lanePace.map { max(80 * $0, 1000) } ?? 1000 * perSecond
        departures += Array(repeating: now, count: count)
        for (place, since) in departures.enumerated() {
            let most = (bucket + perSecond * (now.milliseconds - since.milliseconds)) / 1000
            try expect(.quotaIsKept, departures.count - place <= most) {
                "\(departures.count - place) pushes leave from \(since.milliseconds) to \(now.milliseconds), at most \(most) may"
            }
        }
    }
}
