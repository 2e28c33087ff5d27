/// A provider's limit of pushes per minute for a group of apps.
package struct PushQuota: Sendable, Hashable {
    /// The name of the group: for FCM, a project (firebase.google.com/docs/cloud-messaging/throttling-and-quotas).
    package var group: String
    /// The pushes per minute, at least 1.
    package var perMinute: Int64

    /// Creates a quota.
    package init(group: String, perMinute: Int64) {
        self.group = group
        self.perMinute = perMinute
    }
}
