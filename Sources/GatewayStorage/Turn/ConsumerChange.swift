package import GatewayModel

/// A back-end's change of a consumer's profile; a nil member is unchanged, one that holds nil is cleared.
package struct ProfileChange: Sendable {
    /// The brand.
    package var brand: BrandID
    /// The consumer.
    package var consumer: ConsumerID
    /// The name.
    package var name: String??
    /// The email address.
    package var email: String??
    /// The phone number.
    package var phone: String??
    /// The consumer's own quiet hours; a change makes its waiting deliveries due, so that they are evaluated again.
    package var quietHours: QuietHours??
    /// The audit entry; written in the same transaction, and only when the consumer exists.
    package var audit: AuditEntry?

    /// Creates an empty change of a consumer.
    package init(brand: BrandID, consumer: ConsumerID) {
        self.brand = brand
        self.consumer = consumer
    }
}

/// A request to erase a consumer.
package struct ErasureRequest: Sendable {
    /// The brand.
    package var brand: BrandID
    /// The consumer, or one that was merged into it.
    package var consumer: ConsumerID
    /// The audit entry; written in the same transaction, and only when the consumer exists.
    package var audit: AuditEntry?

    /// Creates a request.
    package init(brand: BrandID, consumer: ConsumerID, audit: AuditEntry?) {
        self.brand = brand
        self.consumer = consumer
        self.audit = audit
    }
}

/// A request to merge a consumer into another.
package struct MergeRequest: Sendable {
    /// The brand.
    package var brand: BrandID
    /// The consumer that has everything afterwards, by its id or one that leads to it.
    package var consumer: ConsumerID
    /// The consumer that is merged into it.
    package var from: ConsumerID
    /// The audit entry; written in the same transaction, and only when the change is made.
    package var audit: AuditEntry?

    /// Creates a request.
    package init(brand: BrandID, consumer: ConsumerID, from: ConsumerID, audit: AuditEntry? = nil) {
        self.brand = brand
        self.consumer = consumer
        self.from = from
        self.audit = audit
    }
}

/// The reason why a consumer is not merged into another.
package enum MergeRejection: Sendable, Equatable {
    /// No consumer has this id, or it was erased.
    case unknown
    /// Both are the same.
    case itself
    /// It was merged into a third one before.
    case elsewhere
    /// It has an identifier and the other has none: a login on a device of that one would get everything.
    case intoAnonymous
}
