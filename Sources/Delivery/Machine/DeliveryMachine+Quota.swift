package import GatewayModel
package import PushProviders

/// Quotas: lanes of one FCM project share the number of its pushes that Google takes in a minute.
extension DeliveryMachine {
    /// Sets the number of pushes that a lane's provider takes in a minute; nil sets no limit.
    package mutating func setQuota(_ quota: PushQuota?, of id: LaneID) {
        addLane(id)
        let old = lanes[id]?.quota
        guard quota != old else { return }
        lanes[id]?.quota = quota
        lanes[id]?.quotaWait = nil
        if let old, !lanes.contains(where: { $0.value.quota == old }) { quotas[old] = nil }
    }

    /// Returns the bucket of a lane, filled up to now; nil when there is no limit.
    mutating func bucket(of lane: Lane, now: Timestamp) -> QuotaBucket? {
        guard let quota = lane.quota else { return nil }
        var bucket = quotas[quota] ?? QuotaBucket(perMinute: quota.perMinute, now: now)
        bucket.fill(now: now)
        return bucket
    }
}
