package import GatewayModel

/// The outcome of a row that the turn's ``WriterTurn/incarnation`` owns, to be stored.
package struct OutcomeRecord: Sendable {
    /// The new state of the row.
    package enum Disposition: Sendable, Equatable {
        /// It moves from the outbox to the delivery log.
        case finished(DeliveryState, SuppressedBy?)
        /// It is retried, not before this moment: unowned, with one attempt more.
        case retry(due: Timestamp)
        /// It is requeued untried: unowned, due at this moment. When a provider asked for the wait of its device, not
        /// before this moment, even if quiet hours change.
        case release(due: Timestamp, isAsked: Bool = false)
    }

    /// The effect on the registration, if its token is still the one that was used (compare and clear).
    package enum TokenEffect: Sendable, Equatable {
        /// Nothing.
        case none
        /// It is stopped with all its rows, unless it was registered after `since` (nil: after the attempt was sent):
        /// no lookup finds it any more. A later turn ends it (``WriterTurn/invalidations``) or restores it
        /// (``WriterTurn/putBacks``). When it is registered again it is simply present again.
        case drop(token: String, since: Timestamp?)
        /// It is quarantined: stored, not pushed to; its other rows finish as failed.
        case quarantine(token: String)
        /// A provider has accepted its token: it is no longer marked as imported.
        case confirm(token: String)

        /// Whether nothing leaves for the device any more.
        package var stopsDevice: Bool {
            switch self {
            case .none, .confirm: false
            case .drop, .quarantine: true
            }
        }
    }

    /// The delivery.
    package var delivery: DeliveryID
    /// Its registration.
    package var registration: RegistrationID
    /// The provider's response; nil when it was not sent (released, expired, cancelled, replaced by a summary).
    package var response: PushResponse?
    /// The new state of the row.
    package var disposition: Disposition
    /// The effect on the registration.
    package var token: TokenEffect
    /// The number of earlier attempts; nil when the caller does not know it, so that the store reads it.
    package var earlierTries: Int?

    /// Creates an outcome.
    package init(
        delivery: DeliveryID,
        registration: RegistrationID,
        response: PushResponse?,
        disposition: Disposition,
        token: TokenEffect,
        earlierTries: Int? = nil
    ) {
        self.delivery = delivery
        self.registration = registration
        self.response = response
        self.disposition = disposition
        self.earlierTries = earlierTries
        self.token = token
    }
}

/// The effect of an outcome beyond its own row.
package struct OutcomeEffect: Sendable, Equatable {
    /// Registrations that are stopped or quarantined; their other rows are finished in the same transaction.
    package var ended: [RegistrationID]

    /// Creates an effect.
    package init(ended: [RegistrationID] = []) { self.ended = ended }
}
