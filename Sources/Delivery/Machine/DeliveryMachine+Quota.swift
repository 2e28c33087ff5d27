package import GatewayModel
package import PushProviders

/// Lanes of one FCM project share what Google takes of it in a minute.
extension DeliveryMachine {
    /// Says what a lane's provider takes in a minute.
    ///
    /// - Parameters:
    ///   - quota: What it takes; nil sets no limit.
    ///   - id: The lane.
    package mutating func setQuota(_ quota: PushQuota?, of id: LaneID) {
        addLane(id)
        let old = lanes[id]?.quota
        guard quota != old else { return }
        lanes[id]?.quota = quota
        lanes[id]?.quotaWait = nil
        if let old, !lanes.contains(where: { $0.value.quota == old }) { quotas[old] = nil }
    }

    /// The bucket of a lane, filled up to now; nil when there is no limit.
    mutating func bucket(of lane: Lane, now: Timestamp) -> QuotaBucket? {
        guard let quota = lane.quota else { return nil }
        var bucket = quotas[quota] ?? QuotaBucket(perMinute: quota.perMinute, now: now)
        bucket.fill(now: now)
        return bucket
    }
}
