package import GatewayModel

/// What a lane is made of, as of now.
package struct DirectoryLane: Sendable {
    /// The lane's number.
    package var id: LaneID
    /// Brand, app, transport and environment.
    package var key: LaneKey
    /// The app's settings, secrets included; they have what the lane's transport needs.
    package var app: AppSettings
    /// The brand.
    package var brand: Brand
}
