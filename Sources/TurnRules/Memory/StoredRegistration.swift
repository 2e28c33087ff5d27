package import GatewayModel

/// A registration as it is stored, also one that gets no pushes.
package struct StoredRegistration: Sendable {
    /// Its number.
    package let id: Int64
    /// The number of its consumer.
    package let consumer: Int64
    /// The number of its lane.
    package let lane: Int64
    /// The app.
    package let app: AppID
    /// The app's id of the installation.
    package let device: DeviceID
    /// The provider's token: secret.
    package let token: String
    /// The name of the device's time zone.
    package let timeZone: String?
    /// The kinds of pushes that it receives.
    package var receives: Receives
    /// When the device last registered.
    package let registeredAt: Timestamp
    /// When the device first registered.
    package let createdAt: Timestamp
    /// Whether its provider reported its token as dead.
    package let isStopped: Bool
    /// Whether its app was deleted.
    package let isDeleted: Bool

    /// Whether it was imported and no push to it was accepted yet.
    package let isImported: Bool

    /// Whether lookups do not find it any more.
    package var isHidden: Bool { isStopped || isDeleted }

    /// Whether this is its token.
    func has(_ token: String) -> Bool { self.token.utf8.elementsEqual(token.utf8) }

    /// Creates a registration from its stored values.
    package init(
        id: Int64,
        consumer: Int64,
        lane: Int64,
        app: AppID,
        device: DeviceID,
        token: String,
        timeZone: String?,
        receives: Receives,
        registeredAt: Timestamp,
        createdAt: Timestamp,
        isStopped: Bool,
        isDeleted: Bool,
        isImported: Bool
    ) {
        self.id = id
        self.consumer = consumer
        self.lane = lane
        self.app = app
        self.device = device
        self.token = token
        self.timeZone = timeZone
        self.receives = receives
        self.registeredAt = registeredAt
        self.createdAt = createdAt
        self.isStopped = isStopped
        self.isDeleted = isDeleted
        self.isImported = isImported
    }
}

/// A selection of registrations, also of those that get no pushes.
package enum RegistrationLookup {
    /// That of a number.
    case id(Int64)
    /// Those of a consumer.
    case consumer(Int64)
    /// Those of a device for the apps of a brand.
    case device(DeviceID, brand: Int64)
    /// Those of a brand with a token.
    case token(String, PushType, brand: Int64)
}

/// A selection of a registration's rows.
package enum RegistrationRows: Int64, Sendable {
    /// All of them.
    case all
    /// Agents' messages, and the badges that follow them.
    case agent
    /// Proactive messages.
    case proactive
}

/// The registration with a token.
package struct TokenOwner: Sendable {
    /// Its number.
    package let registration: RegistrationID
    /// Its consumer.
    package let consumer: ConsumerID
    /// The kinds of pushes that it receives; none unless it is active.
    package let receives: Receives

    /// Creates an owner from its stored values.
    package init(registration: RegistrationID, consumer: ConsumerID, receives: Receives) {
        self.registration = registration
        self.consumer = consumer
        self.receives = receives
    }
}
