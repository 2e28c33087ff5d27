/// How urgent a push is to APNs: the value of `apns-priority` (ProviderFacts page, A3).
package enum APNsPriority: String, Sendable, CaseIterable {
    /// At once.
    case immediate = "10"
    /// When the device's power allows.
    case powerAware = "5"
    /// Power above all: does not wake the device.
    case powerFirst = "1"
}
