package import GatewayModel

/// What a lane is made from: who sends what over which credential.
package struct LaneDescription: Sendable {
    /// The lane's number.
    package var id: LaneID
    /// The lane's name.
    package var key: LaneKey
    /// The app with its credentials: secret.
    package var app: AppSettings
    /// The brand.
    package var brand: Brand

    /// Takes what a lane is made from.
    ///
    /// - Parameters:
    ///   - id: The lane's number.
    ///   - key: The lane's name.
    ///   - app: The app with its credentials.
    ///   - brand: The brand.
    package init(id: LaneID, key: LaneKey, app: AppSettings, brand: Brand) {
        self.id = id
        self.key = key
        self.app = app
        self.brand = brand
    }
}
