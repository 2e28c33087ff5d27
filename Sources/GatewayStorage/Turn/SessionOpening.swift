package import GatewayModel

/// What the opening of a session did.
package struct SessionOpening: Sendable, Equatable {
    /// Whose it is: another than was asked for where that one was merged into it.
    package var consumer: ConsumerID
    /// Whether the consumer has no identifier of the brand's.
    package var anonymous: Bool
    /// How many other sessions ended: older ones of the consumer, and all of those that were merged into it.
    package var endedSessions = 0
    /// Registrations that are gone: of the consumer's other devices, of other consumers on this one, and of devices of those
    /// that were merged into it.
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

/// A consumer, mostly an anonymous one, that was merged into another.
///
/// Its id goes on leading to the other, for back-ends that do not know of it; its key means nothing any more.
package struct ConsumerMerge: Sendable, Equatable {
    /// The consumer that has nothing any more.
    package var id: ConsumerID
    /// Its number.
    package var from: ConsumerKey
    /// The other's number.
    package var into: ConsumerKey
    /// The other's own quiet hours, which are those of the devices that followed, too: what waits is sent by them.
    package var quietHours: QuietHours?

    /// Takes who was merged into whom.
    ///
    /// - Parameters:
    ///   - id: The consumer that has nothing any more.
    ///   - from: Its number.
    ///   - into: The other's number.
    ///   - quietHours: The other's own quiet hours.
    package init(id: ConsumerID, from: ConsumerKey, into: ConsumerKey, quietHours: QuietHours? = nil) {
        self.id = id
        self.from = from
        self.into = into
        self.quietHours = quietHours
    }
}
