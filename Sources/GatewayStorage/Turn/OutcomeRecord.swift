package import GatewayModel

/// What became of an owned row, to be written down.
package struct OutcomeRecord: Sendable {
    /// What the row becomes.
    package enum Disposition: Sendable, Equatable {
        /// It leaves the outbox for the delivery log.
        case finished(DeliveryState, SuppressedBy?)
        /// It is tried again, not before this moment: unowned, one attempt more.
        case retry(due: Timestamp)
        /// It goes back untried: unowned, due at this moment; not before it, whatever becomes of quiet hours, when a provider
        /// asked for the wait of its device.
        case release(due: Timestamp, isAsked: Bool = false)
    }

    /// What happens to the registration, if its token is still the one that was used (compare and clear).
    package enum TokenEffect: Sendable, Equatable {
        /// Nothing.
        case none
        /// It is stopped with all its rows, unless it was registered after `since` (nil: after the attempt was sent): nothing
        /// finds it any more. A later turn ends it (``WriterTurn/invalidations``) or puts it back
        /// (``WriterTurn/putBacks``); when it is registered again it is simply there.
        case drop(token: String, since: Timestamp?)
        /// It is quarantined: kept, not pushed to; its other rows finish as failed.
        case quarantine(token: String)
    }

    /// The delivery.
    package var delivery: DeliveryID
    /// Its registration.
    package var registration: RegistrationID
    /// The answer; nil when it was not sent (released, expired, cancelled, told by a summary).
    package var answer: PushAnswer?
    /// What the row becomes.
    package var disposition: Disposition
    /// What happens to the registration.
    package var token: TokenEffect
    /// How often the delivery had been tried before; nil when whoever records it does not know.
    package var earlierTries: Int?

    /// Takes what became of a row.
    ///
    /// - Parameters:
    ///   - delivery: The delivery.
    ///   - registration: Its registration.
    ///   - answer: The answer.
    ///   - disposition: What the row becomes.
    ///   - token: What happens to the registration.
    ///   - earlierTries: How often the delivery had been tried before; nil lets the store look.
    package init(
        delivery: DeliveryID,
        registration: RegistrationID,
        answer: PushAnswer?,
        disposition: Disposition,
        token: TokenEffect,
        earlierTries: Int? = nil
    ) {
        self.delivery = delivery
        self.registration = registration
        self.answer = answer
        self.disposition = disposition
        self.earlierTries = earlierTries
        self.token = token
    }
}

/// What an outcome did beyond its own row.
package struct OutcomeEffect: Sendable, Equatable {
    /// Registrations that are stopped or quarantined; their other rows are finished in the same transaction.
    package var ended: [RegistrationID]

    /// Takes what an outcome did.
    ///
    /// - Parameter ended: Registrations that are stopped or quarantined.
    package init(ended: [RegistrationID] = []) { self.ended = ended }
}
