/// What names a lane: the way out for one brand, app, transport and environment, under the app's credential of the day.
package struct LaneKey: Hashable, Sendable, CustomStringConvertible {
    /// The brand.
    package var brand: BrandID
    /// The app.
    package var app: AppID
    /// The transport.
    package var pushType: PushType
    /// Which of the provider's worlds.
    package var environment: PushEnvironment

    /// Takes what names a lane.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - app: The app.
    ///   - pushType: The transport.
    ///   - environment: Which of the provider's worlds.
    package init(brand: BrandID, app: AppID, pushType: PushType, environment: PushEnvironment) {
        self.brand = brand
        self.app = app
        self.pushType = pushType
        self.environment = environment
    }

    /// `brand/app/apns/production`, for logs.
    package var description: String { "\(brand)/\(app)/\(pushType.rawValue)/\(environment.rawValue)" }
}
