package import GatewayModel

/// A sign of activity of a device, whatever it is registered as.
package struct DeviceSighting: Hashable, Sendable {
    /// The consumer whose session it used.
    package var consumer: ConsumerName
    /// The device.
    package var device: DeviceID

    /// Creates a sighting.
    package init(consumer: ConsumerName, device: DeviceID) {
        self.consumer = consumer
        self.device = device
    }
}

/// A request to end registrations of a brand whose devices were inactive for long.
package struct StaleDevices: Sendable {
    /// The brand.
    package var brand: BrandID
    /// Registrations end whose devices were last active before this moment.
    package var notSeenSince: Timestamp
    /// At most this many end at once, the longest inactive first.
    package var limit: Int

    /// Creates a request.
    package init(brand: BrandID, notSeenSince: Timestamp, limit: Int) {
        self.brand = brand
        self.notSeenSince = notSeenSince
        self.limit = limit
    }
}
