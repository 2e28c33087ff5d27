package import GatewayModel

/// The current data of a lane.
package struct DirectoryLane: Sendable {
    /// The lane's id.
    package var id: LaneID
    /// Brand, app, transport and environment.
    package var key: LaneKey
    /// The app's settings, secrets included; they have what the lane's transport needs.
    package var app: AppSettings
    /// The brand.
    package var brand: Brand
}
