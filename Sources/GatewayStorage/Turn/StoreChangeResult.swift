package import GatewayModel

/// What a change did; the case follows the change's.
package enum StoreChangeResult: Sendable {
    /// A device was registered.
    case registered(RegistrationChange)
    /// Registrations ended or were narrowed; empty when there were none.
    case unregistered(RegistrationsChange)
    /// A read mark was set, or stood there already.
    case read(ReadChange)
    /// A tap was recorded, or had been before.
    case tapped(TapAnswer)
    /// Receipts were recorded: which of them, in their order, met a delivery.
    case receipts(met: [Bool])
    /// A consumer was found or created.
    case consumer(StoredConsumer)
    /// A session was opened.
    case sessionOpened(SessionOpening)
    /// A session was not opened: the credential that was to open it is revoked, or not the brand's.
    case credentialRevoked
    /// A session was not opened: the assertion was presented before, and is accepted once only.
    case alreadyPresented
    /// A device was not registered: the session that asked has ended, or is not the consumer's.
    case sessionEnded
    /// A device was not registered: the session that asked is bound to another one.
    case boundElsewhere
    /// Sessions ended.
    case sessionsEnded(EndedSessions)
    /// A delivery waits to be tried again.
    case retried
    /// A delivery cannot be tried again.
    case notRetried(RetryRefusal)
    /// A conversation is active, and whether it was opened for the request.
    case conversation(ConversationUnread, opened: Bool)
    /// A consumer's message is stored.
    case written(WrittenMessage)
    /// A conversation was resolved.
    case resolved
    /// A consumer was merged into another, as a login does it; nothing was merged when it had been before.
    case merged(SessionOpening)
    /// A consumer cannot be merged into another.
    case notMerged(MergeRefusal)
    /// A consumer was forgotten, with these registrations.
    case erased([RegistrationID])
    /// It does not go together with what is there.
    case conflict
    /// There is no such thing, or it is another consumer's.
    case notFound
    /// It is past its look-back.
    case gone
}

/// Why a delivery is not tried again.
package enum RetryRefusal: Sendable, Equatable {
    /// It did not fail and did not expire.
    case state(DeliveryState)
    /// The device is not registered for its consumer any more.
    case registrationGone
    /// The device's token is quarantined.
    case registrationQuarantined
    /// The device does not receive such deliveries any more, for example since a logout that kept proactive ones only.
    case notReceived
    /// Its message was removed.
    case messageGone
    /// Its message has been read.
    case read
    /// A newer one takes its place: with the same collapse key, which waits or was taken by the provider, or another badge
    /// that waits.
    case collapsed
}

/// What a registration did.
package struct RegistrationChange: Sendable {
    /// The registration as it is now.
    package var registration: DeviceRegistration
    /// Whether the device was not registered before (for this app).
    package var created: Bool
    /// Registrations that ended because their token or their device moved.
    package var ended: [RegistrationID]

    /// Takes what a registration did.
    ///
    /// - Parameters:
    ///   - registration: The registration as it is now.
    ///   - created: Whether the device was not registered before.
    ///   - ended: Registrations that ended.
    package init(registration: DeviceRegistration, created: Bool, ended: [RegistrationID]) {
        self.registration = registration
        self.created = created
        self.ended = ended
    }
}

/// Which sessions a logout ended.
package struct EndedSessions: Sendable, Equatable {
    /// How many sessions ended.
    package var count: Int
    /// Which registrations ended or were narrowed.
    package var registrations: RegistrationsChange

    /// Takes what a logout did; nothing unless told.
    ///
    /// - Parameters:
    ///   - count: How many sessions ended.
    ///   - registrations: Which registrations ended or were narrowed.
    package init(count: Int = 0, registrations: RegistrationsChange = RegistrationsChange()) {
        self.count = count
        self.registrations = registrations
    }
}

/// Registrations that a change ended or narrowed.
package struct RegistrationsChange: Sendable, Equatable {
    /// Registrations that are gone.
    package var ended: [RegistrationID]
    /// Registrations that no longer take agents' messages.
    package var narrowed: [RegistrationID]

    /// Takes what a change ended or narrowed.
    ///
    /// - Parameters:
    ///   - ended: Registrations that are gone.
    ///   - narrowed: Registrations that no longer take agents' messages.
    package init(ended: [RegistrationID] = [], narrowed: [RegistrationID] = []) {
        self.ended = ended
        self.narrowed = narrowed
    }
}

/// What a read did.
package struct ReadChange: Sendable, Equatable {
    /// The consumer.
    package var consumer: ConsumerKey
    /// The conversation.
    package var conversation: ConversationKey
    /// The read mark now.
    package var readSequence: Int64
    /// The consumer's unread count now.
    package var unread: Int64

    /// Takes what a read did.
    ///
    /// - Parameters:
    ///   - consumer: The consumer.
    ///   - conversation: The conversation.
    ///   - readSequence: The read mark now.
    ///   - unread: The consumer's unread count now.
    package init(consumer: ConsumerKey, conversation: ConversationKey, readSequence: Int64, unread: Int64) {
        self.consumer = consumer
        self.conversation = conversation
        self.readSequence = readSequence
        self.unread = unread
    }
}

/// What a device learns from its tap.
package struct TapAnswer: Sendable {
    /// The message.
    package var message: Message
    /// When it was first tapped.
    package var tappedAt: Timestamp
    /// Whether this was the first report.
    package var first: Bool

    /// Takes what a device learns.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - tappedAt: When it was first tapped.
    ///   - first: Whether this was the first report.
    package init(message: Message, tappedAt: Timestamp, first: Bool) {
        self.message = message
        self.tappedAt = tappedAt
        self.first = first
    }
}
