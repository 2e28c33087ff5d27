/// The priority of the delivery by a provider.
package enum PushPriority: String, Sendable, CaseIterable {
    /// At once: APNs 10, FCM HIGH.
    case high
    /// When the device's power allows: APNs 5, FCM NORMAL.
    case normal
}
