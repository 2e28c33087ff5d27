package import GatewayModel

/// A session that has ended.
package struct EndedSession: Sendable {
    /// The number of its consumer.
    package var consumer: Int64
    /// The brand.
    package var brand: BrandID
    /// Its consumer's own id.
    package var name: ConsumerID
    /// The device that it was bound to.
    package var device: DeviceID?

    /// Creates the facts of a session.
    package init(consumer: Int64, brand: BrandID, name: ConsumerID, device: DeviceID?) {
        self.consumer = consumer
        self.brand = brand
        self.name = name
        self.device = device
    }
}
