/// What of a device (and of its consumer) shapes how its pushes are worded and when they are sent, rather than where they go.
///
/// A class of constants, so that all rows of a device share one; nil stands for a device that says none of it.
package final class DeviceTraits: Sendable, Equatable {
    /// BCP 47 language tag, as the device says.
    package let locale: String?
    /// IANA time zone name, as the device says.
    package let timeZone: String?
    /// Its consumer's own quiet hours.
    package let quietHours: QuietHours?

    /// Takes traits; nil when there are none.
    ///
    /// - Parameters:
    ///   - locale: Language tag.
    ///   - timeZone: Time zone name.
    ///   - quietHours: Its consumer's own quiet hours.
    package init?(locale: String?, timeZone: String?, quietHours: QuietHours? = nil) {
        if locale == nil, timeZone == nil, quietHours == nil { return nil }
        self.locale = locale
        self.timeZone = timeZone
        self.quietHours = quietHours
    }

    /// Whether two devices say the same.
    ///
    /// - Parameters:
    ///   - left: One device's.
    ///   - right: Another's.
    /// - Returns: Whether all traits are equal.
    package static func == (left: DeviceTraits, right: DeviceTraits) -> Bool {
        left.locale == right.locale && left.timeZone == right.timeZone && left.quietHours == right.quietHours
    }
}
