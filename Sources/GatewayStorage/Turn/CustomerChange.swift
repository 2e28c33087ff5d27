package import GatewayModel
package import TextFormats

/// An event of a consumer that an app tracked.
package struct CustomerEvent: Sendable {
    /// The app's name for the type.
    package var type: String
    /// The time.
    package var time: Timestamp
    /// A JSON object.
    package var properties: JSONText

    /// Creates an event.
    package init(type: String, time: Timestamp, properties: JSONText) {
        self.type = type
        self.time = time
        self.properties = properties
    }
}

/// A change of a consumer's data, by an app or a back-end.
package struct CustomerChange: Sendable {
    /// The brand.
    package var brand: BrandID
    /// The consumer, which is created when it is new; nil for an event of nobody.
    package var consumer: ConsumerID?
    /// Whether a new consumer has no identifier of the brand.
    package var isAnonymous = false
    /// Whether a new consumer is created.
    package var creates = true
    /// An anonymous consumer that is merged into the consumer, unless the consumer is anonymous itself.
    ///
    /// Whoever names both proves nothing: its devices no longer receive agents' messages.
    package var cookie: ConsumerID?
    /// Changed properties; one that is null is removed.
    package var properties = StrictJSON.Members()
    /// Changed consents.
    package var consents: [BoundedName: Consent] = [:]
    /// An event to be published in the outbound feed.
    package var event: CustomerEvent?
    /// The audit entry; written in the same transaction, and only when the change is made.
    package var audit: AuditEntry?

    /// Creates an empty change of a consumer.
    package init(brand: BrandID, consumer: ConsumerID?) {
        self.brand = brand
        self.consumer = consumer
    }

    /// Whether properties or consents are changed.
    package var changesData: Bool { !properties.isEmpty || !consents.isEmpty }

    /// Its approximate memory beyond its ids, in bytes.
    var bytes: Int { (properties.count + consents.count) * 256 + (event?.properties.text.utf8.count ?? 0) }
}
