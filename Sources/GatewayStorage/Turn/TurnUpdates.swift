package import GatewayModel

/// The changes of a turn that others keep in memory: the delivery state machine its rows, windows what they show,
/// gateways their sessions.
///
/// One value, so that it can be sent to the gateway that has a consumer's data in memory: each entry names its consumer,
/// or a registration, which belongs to one consumer.
package struct TurnUpdates: Sendable {
    /// The changes of registrations, in order; those of ``withdrawn`` and ``unread`` come after them.
    package var registrations: [RegistrationUpdate] = []
    /// Rows of earlier turns that this one ended without a provider's response, for any reason: read, collapsed,
    /// unregistered.
    ///
    /// Those that wait in memory are dropped.
    package var withdrawn: [WithdrawnRow] = []
    /// Unread counts that this turn changed, as they are at its end.
    package var unread: [ConsumerKey: Int64] = [:]
    /// The turn's changes for consumers with an open window, in order; none for others.
    package var windowEvents: [WindowEvent] = []
    /// Consumers of whom sessions have ended or changed, some perhaps twice; the engine notifies every gateway
    /// (``SessionStore/onSessionEnd(_:)``).
    package var endedSessions: [ConsumerName] = []

    /// Creates an empty value.
    package init() {}
}

/// A change of registrations, which their rows in memory follow.
///
/// The end of a registration is none: its rows are withdrawn.
package enum RegistrationUpdate: Sendable {
    /// A consumer's device was registered, or registered again with other facts.
    case registered(ConsumerKey, DeviceRegistration)
    /// A consumer's registration no longer receives agents' messages.
    case narrowed(ConsumerKey, RegistrationID)
    /// A consumer's own quiet hours were set, perhaps to the same ones; nil removes them.
    case quietHours(ConsumerKey, QuietHours?)
    /// A consumer's registrations moved to the consumer that it was merged into.
    case merged(ConsumerMerge)
}

/// A row that ended without a provider's response.
package struct WithdrawnRow: Sendable, Equatable {
    /// The delivery.
    package var delivery: DeliveryID
    /// Its registration.
    package var registration: RegistrationID

    /// Creates a row that ended.
    package init(delivery: DeliveryID, registration: RegistrationID) {
        self.delivery = delivery
        self.registration = registration
    }
}
