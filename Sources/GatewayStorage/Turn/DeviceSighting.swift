package import GatewayModel

/// A sign of life of a device; what it is registered as does not matter.
package struct DeviceSighting: Hashable, Sendable {
    /// Whose session it used.
    package var consumer: ConsumerName
    /// The device.
    package var device: DeviceID

    /// Takes a sign of life.
    ///
    /// - Parameters:
    ///   - consumer: Whose session it used.
    ///   - device: The device.
    package init(consumer: ConsumerName, device: DeviceID) {
        self.consumer = consumer
        self.device = device
    }
}

/// An end to registrations of a brand whose devices were not heard of for long.
package struct StaleDevices: Sendable {
    /// The brand.
    package var brand: BrandID
    /// Registrations end whose devices were last heard of before this moment.
    package var notSeenSince: Timestamp
    /// At most this many end at once, the stalest first.
    package var limit: Int

    /// Takes what is to end.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - notSeenSince: Registrations end whose devices were last heard of before this moment.
    ///   - limit: At most this many end at once.
    package init(brand: BrandID, notSeenSince: Timestamp, limit: Int) {
        self.brand = brand
        self.notSeenSince = notSeenSince
        self.limit = limit
    }
}
