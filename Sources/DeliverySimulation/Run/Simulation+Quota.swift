import Delivery
import GatewayModel
import PushProviders

/// What the providers of the first two lanes take together.
extension Simulation {
    /// What they take now; nil sets no limit.
    private var quota: PushQuota? {
        plan.quota.map { PushQuota(group: $0.group, perMinute: isQuotaRaised ? 2 * $0.perMinute : $0.perMinute) }
    }

    /// Whether a lane has a quota.
    func isLimited(_ lane: Int) -> Bool { lane < 2 && plan.quota != nil }

    /// Tells the machine what is taken; nothing has left then as far as that goes.
    mutating func setQuotas() {
        departures = []
        guard sabotage != .hideQuota else { return }
        for lane in flights.indices where isLimited(lane) && !isGone(lane) {
            writer.delivery.setQuota(quota, of: LaneID(Int64(lane) + 1))
        }
    }

    /// In no time more leave than a second brings and what the time itself brings.
    mutating func checkQuota(_ count: Int, on lane: Int) throws(Violation) {
        try expect(.quotaIsKept, writer.delivery.knowsUsedQuotas) { "a quota is remembered that no lane has" }
        guard isLimited(lane), let quota, !checker.hasJumped else { return }
        departures += Array(repeating: now, count: count)
        for (place, since) in departures.enumerated() {
            let most = quota.perMinute / 61 * (1000 + now.milliseconds - since.milliseconds) / 1000
            try expect(.quotaIsKept, departures.count - place <= most) {
                "\(departures.count - place) pushes leave from \(since.milliseconds) to \(now.milliseconds), \(most) may"
            }
        }
    }
}
