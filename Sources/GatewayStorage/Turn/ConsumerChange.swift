package import GatewayModel

/// What a back-end changes of a consumer's profile; a member that is nil is left alone, one that holds nil is cleared.
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
    /// The consumer's own quiet hours; a change makes what waits for it due, to be looked at again.
    package var quietHours: QuietHours??
    /// What the trail says of it; written with it, and only when there is such a consumer.
    package var audit: AuditEntry?

    /// Takes whom to change; nothing unless told.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    package init(brand: BrandID, consumer: ConsumerID) {
        self.brand = brand
        self.consumer = consumer
    }
}

/// A consumer that is to be erased.
package struct ErasureRequest: Sendable {
    /// The brand.
    package var brand: BrandID
    /// The consumer, or one that was merged into it.
    package var consumer: ConsumerID
    /// What the trail says of it; written with it, and only when there is such a consumer.
    package var audit: AuditEntry?

    /// Takes who is to be erased.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    ///   - audit: What the trail says of it.
    package init(brand: BrandID, consumer: ConsumerID, audit: AuditEntry?) {
        self.brand = brand
        self.consumer = consumer
        self.audit = audit
    }
}

/// A consumer that a back-end knows to be the same as another.
package struct MergeRequest: Sendable {
    /// The brand.
    package var brand: BrandID
    /// Who has everything then, by its id or one that leads to it.
    package var consumer: ConsumerID
    /// Who is merged into it.
    package var from: ConsumerID
    /// What the trail says of it; written with it, and only when it is done.
    package var audit: AuditEntry?

    /// Takes who is to be merged into whom.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: Who has everything then.
    ///   - from: Who is merged into it.
    ///   - audit: What the trail says of it.
    package init(brand: BrandID, consumer: ConsumerID, from: ConsumerID, audit: AuditEntry? = nil) {
        self.brand = brand
        self.consumer = consumer
        self.from = from
        self.audit = audit
    }
}

/// Why a consumer is not merged into another.
package enum MergeRefusal: Sendable, Equatable {
    /// There is none of this id, or it was erased.
    case unknown
    /// Both are the same.
    case itself
    /// It was merged into a third one before.
    case elsewhere
    /// It has an identifier and the other has none: whoever logs in on a device of that one would get everything.
    case intoAnonymous
}
