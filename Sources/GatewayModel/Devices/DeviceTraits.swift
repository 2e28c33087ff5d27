/// The properties of a device and its consumer that affect the wording and the time of its pushes, not their target.
///
/// An immutable class, so that all rows of a device share one instance; nil stands for a device that reports none of
/// it.
package final class DeviceTraits: Sendable, Equatable {
    /// The BCP 47 language tag, as reported by the device.
    package let locale: String?
    /// The IANA time zone name, as reported by the device.
    package let timeZone: String?
    /// Its consumer's own quiet hours.
    package let quietHours: QuietHours?

    /// Creates traits; nil when there are none.
    package init?(locale: String?, timeZone: String?, quietHours: QuietHours? = nil) {
        if locale == nil, timeZone == nil, quietHours == nil { return nil }
        self.locale = locale
        self.timeZone = timeZone
        self.quietHours = quietHours
    }

    /// Returns whether two devices have the same traits.
    package static func == (left: DeviceTraits, right: DeviceTraits) -> Bool {
        left.locale == right.locale && left.timeZone == right.timeZone && left.quietHours == right.quietHours
    }
}
