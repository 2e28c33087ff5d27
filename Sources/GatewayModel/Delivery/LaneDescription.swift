/// The description of a lane: the brand, the app and the credential with which it sends.
package struct LaneDescription: Sendable {
    /// The lane's number.
    package var id: LaneID
    /// The lane's name.
    package var key: LaneKey
    /// The app with its credentials, which are secret; it has the one that the lane's transport needs.
    package var app: AppSettings
    /// The brand.
    package var brand: Brand

    /// Creates a description.
    package init(id: LaneID, key: LaneKey, app: AppSettings, brand: Brand) {
        self.id = id
        self.key = key
        self.app = app
        self.brand = brand
    }
}
