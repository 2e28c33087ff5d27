/// The priority of a push for APNs: the value of `apns-priority` (ProviderFacts page, A3).
package enum APNsPriority: String, Sendable, CaseIterable {
    /// Immediate delivery.
    case immediate = "10"
    /// Delivery depends on the device's power state.
    case powerAware = "5"
    /// Power has priority: does not wake the device.
    case powerFirst = "1"
}
