package import GatewayModel

/// One thing that a search found.
package struct SearchHit: Sendable, Equatable {
    /// The kind of name by which it was found; the raw value is the JSON value.
    package enum Name: String, Sendable, CaseIterable {
        /// Its own id.
        case id
        /// The APNs id of a push.
        case apnsID = "apnsId"
        /// The provider's id of a push.
        case providerID = "providerId"
        /// The push token of a device.
        case token
        /// The back-end's id of an event.
        case eventID = "eventId"
    }

    /// The thing.
    package enum Thing: Sendable, Equatable {
        /// A consumer.
        case consumer
        /// A device of the consumer.
        case device(AppID, DeviceID)
        /// A message to the consumer.
        case message(MessageID)
        /// A delivery to one of the consumer's devices.
        case delivery(DeliveryID)
    }

    /// The thing.
    package var thing: Thing
    /// Its consumer.
    package var consumer: ConsumerID
    /// The kind of name by which it was found.
    package var name: Name

    /// Creates a hit.
    package init(_ thing: Thing, of consumer: ConsumerID, by name: Name) {
        self.thing = thing
        self.consumer = consumer
        self.name = name
    }
}
