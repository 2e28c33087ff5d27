package import GatewayModel

/// An app as it is stored; its settings are sealed because they hold secrets.
package struct StoredApp: Sendable, Equatable {
    /// The brand.
    package var brand: BrandID
    /// The app.
    package var id: AppID
    /// The JSON of `AppSettings`, sealed under the master key.
    package var sealedSettings: [UInt8]
    /// When it was last changed.
    package var updatedAt: Timestamp

    /// Creates an app.
    package init(brand: BrandID, id: AppID, sealedSettings: [UInt8], updatedAt: Timestamp) {
        self.brand = brand
        self.id = id
        self.sealedSettings = sealedSettings
        self.updatedAt = updatedAt
    }
}
