package import GatewayModel

/// The result of a change; the case follows the change's.
package enum StoreChangeResult: Sendable {
    /// A device was registered.
    case registered(RegistrationChange)
    /// A device was not imported, because its token or its id is registered.
    case kept
    /// Registrations ended or were narrowed; empty when there were none.
    case unregistered(RegistrationsChange)
    /// A read mark was set, or was there already.
    case read(ReadChange)
    /// A tap was recorded, or had been before.
    case tapped(TapResult)
    /// Receipts were recorded; the flags, in their order, mark those with a delivery.
    case receipts(met: [Bool])
    /// A consumer was found or created.
    case consumer(StoredConsumer)
    /// A session was opened.
    case sessionOpened(SessionOpening)
    /// A session was not opened: its credential is revoked, or not the brand's.
    case credentialRevoked
    /// A session was not opened: the assertion is for single use and was presented before.
    case alreadyPresented
    /// A device was not registered: the requesting session has ended, or is not the consumer's.
    case sessionEnded
    /// A device was not registered: the requesting session is bound to another one.
    case boundElsewhere
    /// Sessions ended.
    case sessionsEnded(EndedSessions)
    /// A delivery was requeued for a retry.
    case retried
    /// A delivery cannot be retried.
    case notRetried(RetryRejection)
    /// A conversation is active, with a flag when it was opened for the request.
    case conversation(ConversationUnread, opened: Bool)
    /// A consumer's message is stored.
    case written(WrittenMessage)
    /// A conversation was resolved.
    case resolved
    /// A consumer was merged into another, as by a login; nothing was merged when it had been before.
    case merged(SessionOpening)
    /// A consumer cannot be merged into another.
    case notMerged(MergeRejection)
    /// A consumer's data was changed; its present id, nil for an event of nobody.
    case tracked(ConsumerID?)
    /// A consumer was erased, with these registrations.
    case erased([RegistrationID])
    /// The change conflicts with the stored state.
    case conflict
    /// It does not exist, or belongs to another consumer.
    case notFound
    /// It is past its look-back.
    case gone
}

/// The reason why a delivery is not retried.
package enum RetryRejection: Sendable, Equatable {
    /// It is not failed or expired.
    case state(DeliveryState)
    /// The device is no longer registered for its consumer.
    case registrationGone
    /// The device's token is quarantined.
    case registrationQuarantined
    /// The device no longer receives such deliveries, for example since a logout that kept only proactive ones, or its
    /// consumer has withdrawn a consent.
    case notReceived
    /// Its message was removed.
    case messageGone
    /// Its message has been read.
    case read
    /// A newer one replaces it: one with the same collapse key that waits or was accepted by the provider, or another
    /// badge that waits.
    case collapsed
}

/// The result of a registration.
package struct RegistrationChange: Sendable {
    /// The registration as it is now.
    package var registration: DeviceRegistration
    /// Whether the device was not registered before (for this app).
    package var created: Bool
    /// Registrations that ended because their token or their device moved.
    package var ended: [RegistrationID]

    /// Creates a result.
    package init(registration: DeviceRegistration, created: Bool, ended: [RegistrationID]) {
        self.registration = registration
        self.created = created
        self.ended = ended
    }
}

/// The sessions that a logout ended.
package struct EndedSessions: Sendable, Equatable {
    /// The number of sessions that ended.
    package var count: Int
    /// The registrations that ended or were narrowed.
    package var registrations: RegistrationsChange

    /// Creates a result, empty by default.
    package init(count: Int = 0, registrations: RegistrationsChange = RegistrationsChange()) {
        self.count = count
        self.registrations = registrations
    }
}

/// Registrations that a change ended or narrowed.
package struct RegistrationsChange: Sendable, Equatable {
    /// Registrations that ended.
    package var ended: [RegistrationID]
    /// Registrations that no longer receive agents' messages.
    package var narrowed: [RegistrationID]

    /// Creates a change.
    package init(ended: [RegistrationID] = [], narrowed: [RegistrationID] = []) {
        self.ended = ended
        self.narrowed = narrowed
    }
}

/// The result of a read.
package struct ReadChange: Sendable, Equatable {
    /// The consumer.
    package var consumer: ConsumerKey
    /// The conversation.
    package var conversation: ConversationKey
    /// The present read mark.
    package var readSequence: Int64
    /// The consumer's present unread count.
    package var unread: Int64

    /// Creates a result.
    package init(consumer: ConsumerKey, conversation: ConversationKey, readSequence: Int64, unread: Int64) {
        self.consumer = consumer
        self.conversation = conversation
        self.readSequence = readSequence
        self.unread = unread
    }
}

/// The result of a tap, for its device.
package struct TapResult: Sendable {
    /// The message.
    package var message: Message
    /// When it was first tapped.
    package var tappedAt: Timestamp
    /// Whether this was the first report.
    package var first: Bool

    /// Creates a result.
    package init(message: Message, tappedAt: Timestamp, first: Bool) {
        self.message = message
        self.tappedAt = tappedAt
        self.first = first
    }
}
