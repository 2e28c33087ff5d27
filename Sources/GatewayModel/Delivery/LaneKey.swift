/// The key of a lane: brand, app, transport and environment, under the app's current credential.
package struct LaneKey: Hashable, Sendable, CustomStringConvertible {
    /// The brand.
    package var brand: BrandID
    /// The app.
    package var app: AppID
    /// The transport.
    package var pushType: PushType
    /// The provider's environment.
    package var environment: PushEnvironment

    /// Creates a key.
    package init(brand: BrandID, app: AppID, pushType: PushType, environment: PushEnvironment) {
        self.brand = brand
        self.app = app
        self.pushType = pushType
        self.environment = environment
    }

    /// `app:apns:production`, its name in the API; no app's id has a colon.
    package var name: String { "\(app):\(pushType.rawValue):\(environment.rawValue)" }

    /// `brand/app/apns/production`, for log lines.
    package var description: String { "\(brand)/\(app)/\(pushType.rawValue)/\(environment.rawValue)" }
}
