package import GatewayModel

/// What the opening of a session did.
package struct SessionOpening: Sendable, Equatable {
    /// Whose it is: another than was asked for where that one was merged into it.
    package var consumer: ConsumerID
    /// Whether the consumer has no identifier of the brand's.
    package var anonymous: Bool
    /// How many other sessions ended: older ones of the consumer, and all of those that were merged into it.
    package var endedSessions = 0
    /// Registrations that are gone: of the consumer's other devices, and of other consumers on this one.
    package var endedRegistrations: [RegistrationID] = []
    /// Anonymous consumers that were merged into the consumer, by their keys.
    package var merged: [ConsumerMerge] = []

    /// Takes whose session it is.
    ///
    /// - Parameters:
    ///   - consumer: Whose it is.
    ///   - anonymous: Whether the consumer has no identifier of the brand's.
    package init(consumer: ConsumerID, anonymous: Bool) {
        self.consumer = consumer
        self.anonymous = anonymous
    }
}

/// An anonymous consumer that was merged into one with an identifier.
///
/// Its id goes on leading to the other, for back-ends that do not know of it; its key means nothing any more.
package struct ConsumerMerge: Sendable, Equatable {
    /// The anonymous consumer.
    package var id: ConsumerID
    /// The anonymous consumer's number.
    package var from: ConsumerKey
    /// The other's number.
    package var into: ConsumerKey
    /// The other's own quiet hours, by which what waits is sent from now on.
    package var quietHours: QuietHours?

    /// Takes who was merged into whom.
    ///
    /// - Parameters:
    ///   - id: The anonymous consumer.
    ///   - from: The anonymous consumer's number.
    ///   - into: The other's number.
    ///   - quietHours: The other's own quiet hours.
    package init(id: ConsumerID, from: ConsumerKey, into: ConsumerKey, quietHours: QuietHours? = nil) {
        self.id = id
        self.from = from
        self.into = into
        self.quietHours = quietHours
    }
}
