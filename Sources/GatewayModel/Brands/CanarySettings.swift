/// The canary of an app: a silent push to a test device at an interval, which shows that its lane still works
/// (OperatorEvents page).
package struct CanarySettings: Codable, Equatable, Sendable {
    /// The allowed intervals, in seconds: an hour, because Apple wakes an app only a few times an hour, to a day.
    package static let intervalRange: ClosedRange<Int64> = 3600...86_400

    /// The test device's token: secret.
    package var token: String
    /// The transport of the token.
    package var pushType: PushType
    /// The environment of the token; nil is ``PushEnvironment/production``.
    package var environment: PushEnvironment?
    /// The interval, in seconds, within ``intervalRange``.
    package var everySeconds: Int64
    /// Whether the device confirms each push by a receipt; nil is false: Apple drops silent pushes.
    package var expectReceipt: Bool?

    /// Creates a canary.
    package init(
        token: String,
        pushType: PushType,
        environment: PushEnvironment? = nil,
        everySeconds: Int64,
        expectReceipt: Bool? = nil
    ) {
        self.token = token
        self.pushType = pushType
        self.environment = environment
        self.everySeconds = everySeconds
        self.expectReceipt = expectReceipt
    }

    /// Returns the lane that it watches.
    package func lane(of app: AppID, brand: BrandID) -> LaneKey {
        LaneKey(brand: brand, app: app, pushType: pushType, environment: environment ?? .production)
    }
}
