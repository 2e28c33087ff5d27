/// A consumer's device that may receive pushes.
package struct DeviceRegistration: Sendable {
    /// The store's id.
    package var id: RegistrationID
    /// The brand.
    package var brand: BrandID
    /// The app.
    package var app: AppID
    /// The app's id for the installation.
    package var device: DeviceID
    /// The consumer.
    package var consumer: ConsumerID
    /// The lane.
    package var lane: LaneID
    /// The provider's token: secret, never logged.
    package var token: String
    /// The transport.
    package var pushType: PushType
    /// The provider's environment that the token belongs to.
    package var environment: PushEnvironment
    /// The platform of the device.
    package var platform: DevicePlatform
    /// The BCP 47 language tag, as reported by the device.
    package var locale: String?
    /// The IANA time zone name, as reported by the device.
    package var timeZone: String?
    /// The system's version, as reported by the device.
    package var osVersion: String?
    /// The app's version, as reported by the device.
    package var appVersion: String?
    /// The pushes that it subscribed to.
    package var receives: Receives
    /// Whether pushes are sent to it.
    package var state: RegistrationState
    /// The time at which the current token was last registered: the timestamp of APNs' 410 is compared with it.
    package var registeredAt: Timestamp
    /// The time at which the row was created.
    package var createdAt: Timestamp
    /// The time of the last activity, to an hour: a registration, a request with its own session, an open window, or a
    /// report of a tap or a receipt.
    package var lastSeenAt: Timestamp
    /// Its tokens for other push types.
    package var extraTokens: [ExtraToken] = []

    /// The time in seconds within which further activity is not stored: at most one write an hour.
    package static let seenForSeconds: Int64 = 3600

    /// Creates a registration.
    package init(
        id: RegistrationID,
        brand: BrandID,
        app: AppID,
        device: DeviceID,
        consumer: ConsumerID,
        lane: LaneID,
        token: String,
        pushType: PushType,
        environment: PushEnvironment,
        platform: DevicePlatform,
        locale: String?,
        timeZone: String?,
        osVersion: String?,
        appVersion: String?,
        receives: Receives,
        state: RegistrationState,
        registeredAt: Timestamp,
        createdAt: Timestamp
    ) {
        self.id = id
        self.brand = brand
        self.app = app
        self.device = device
        self.consumer = consumer
        self.lane = lane
        self.token = token
        self.pushType = pushType
        self.environment = environment
        self.platform = platform
        self.locale = locale
        self.timeZone = timeZone
        self.osVersion = osVersion
        self.appVersion = appVersion
        self.receives = receives
        self.state = state
        self.registeredAt = registeredAt
        self.createdAt = createdAt
        lastSeenAt = registeredAt
    }
}
