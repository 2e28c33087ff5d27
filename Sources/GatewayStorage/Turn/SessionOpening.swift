package import GatewayModel

/// The result of opening a session.
package struct SessionOpening: Sendable, Equatable {
    /// The session's consumer: another than the requested one when that one was merged into it.
    package var consumer: ConsumerID
    /// Whether the consumer has no identifier of the brand.
    package var anonymous: Bool
    /// The number of other sessions that ended: older ones of the consumer, and all of those that were merged into it.
    package var endedSessions = 0
    /// Registrations that ended: of the consumer's other devices, of other consumers on this device, and of devices of
    /// those that were merged into it.
    package var endedRegistrations: [RegistrationID] = []
    /// Anonymous consumers that were merged into the consumer, by their keys.
    package var merged: [ConsumerMerge] = []

    /// Creates a result.
    package init(consumer: ConsumerID, anonymous: Bool) {
        self.consumer = consumer
        self.anonymous = anonymous
    }
}

/// A consumer, mostly an anonymous one, that was merged into another.
///
/// Its id still leads to the other, for back-ends that do not know about it; its key is no longer valid.
package struct ConsumerMerge: Sendable, Equatable {
    /// The consumer that was merged.
    package var id: ConsumerID
    /// Its number.
    package var from: ConsumerKey
    /// The other's number.
    package var into: ConsumerKey
    /// The other's own quiet hours, which also apply to the devices that moved to it: waiting deliveries are sent by
    /// them.
    package var quietHours: QuietHours?

    /// Creates a merge.
    package init(id: ConsumerID, from: ConsumerKey, into: ConsumerKey, quietHours: QuietHours? = nil) {
        self.id = id
        self.from = from
        self.into = into
        self.quietHours = quietHours
    }
}
