/// A device of a consumer that may be pushed to.
package struct DeviceRegistration: Sendable {
    /// The store's number.
    package var id: RegistrationID
    /// The brand.
    package var brand: BrandID
    /// The app.
    package var app: AppID
    /// The app's id of the installation.
    package var device: DeviceID
    /// Whose it is.
    package var consumer: ConsumerID
    /// The way out.
    package var lane: LaneID
    /// The provider's token: secret, never logged.
    package var token: String
    /// The transport.
    package var pushType: PushType
    /// Which of the provider's worlds the token belongs to.
    package var environment: PushEnvironment
    /// What kind of device it is.
    package var platform: DevicePlatform
    /// BCP 47 language tag, as the device says.
    package var locale: String?
    /// IANA time zone name, as the device says.
    package var timeZone: String?
    /// The system's version, as the device says.
    package var osVersion: String?
    /// The app's version, as the device says.
    package var appVersion: String?
    /// What it wants to be pushed.
    package var receives: Receives
    /// Whether it is trusted to work.
    package var state: RegistrationState
    /// When the current token was last registered: what a 410 of Apple's is compared with.
    package var registeredAt: Timestamp
    /// When the row was first made.
    package var createdAt: Timestamp
    /// When the device was last heard of, to an hour: it registered, asked with a session of its own, opened a window, or
    /// reported a tap or a receipt.
    package var lastSeenAt: Timestamp
    /// Its tokens for other kinds of pushes.
    package var extraTokens: [ExtraToken] = []

    /// Within so many seconds a device is not noted again: one write an hour at most, whatever it asks.
    package static let seenForSeconds: Int64 = 3600

    /// Takes the facts of a registration.
    ///
    /// - Parameters:
    ///   - id: The store's number.
    ///   - brand: The brand.
    ///   - app: The app.
    ///   - device: The app's id of the installation.
    ///   - consumer: Whose it is.
    ///   - lane: The way out.
    ///   - token: The provider's token.
    ///   - pushType: The transport.
    ///   - environment: Which of the provider's worlds the token belongs to.
    ///   - platform: What kind of device it is.
    ///   - locale: Language tag.
    ///   - timeZone: Time zone name.
    ///   - osVersion: The system's version.
    ///   - appVersion: The app's version.
    ///   - receives: What it wants to be pushed.
    ///   - state: Whether it is trusted to work.
    ///   - registeredAt: When the current token was last registered.
    ///   - createdAt: When the row was first made.
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
