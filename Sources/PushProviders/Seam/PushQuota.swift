/// How many pushes a provider takes in a minute from all that it counts together.
package struct PushQuota: Sendable, Hashable {
    /// The name of what is counted together: of FCM, a project (firebase.google.com/docs/cloud-messaging/throttling-and-quotas).
    package var group: String
    /// How many in a minute, at least 1.
    package var perMinute: Int64

    /// Takes a quota.
    ///
    /// - Parameters:
    ///   - group: The name of what is counted together.
    ///   - perMinute: How many in a minute, at least 1.
    package init(group: String, perMinute: Int64) {
        self.group = group
        self.perMinute = perMinute
    }
}
