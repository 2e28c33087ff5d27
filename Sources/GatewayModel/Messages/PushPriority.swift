/// The priority of the delivery by a provider.
package enum PushPriority: String, Sendable, CaseIterable {
    /// At once: APNs 10, FCM HIGH.
    case high
    /// Delayed to save the device's power: APNs 5, FCM NORMAL.
    case normal
}
