package import GatewayModel

/// An app as it is held in memory, secrets included.
package struct DirectoryApp: Sendable, Equatable {
    /// The brand.
    package var brand: BrandID
    /// The app.
    package var id: AppID
    /// Its settings.
    package var settings: AppSettings
    /// What its APNs certificate says of itself, if it has one.
    package var certificate: APNsCertificateFacts?
    /// Why its certificate, which a password closes, could not be opened when it was needed; nil before that.
    package var openingProblem: SettingsProblem?
    /// When it was last put.
    package var updatedAt: Timestamp

    /// Whether a password still closes its certificate: an earlier version stored it so, and nothing needed it yet.
    package var isClosed: Bool {
        guard case .certificate? = settings.apns?.authentication else { return false }
        return certificate == nil
    }

    /// What may be shown of it.
    package var redacted: RedactedApp { RedactedApp(self) }

    /// The lanes that its settings allow: APNs has two worlds, FCM one.
    var laneKeys: [LaneKey] {
        func key(_ pushType: PushType, _ environment: PushEnvironment) -> LaneKey {
            LaneKey(brand: brand, app: id, pushType: pushType, environment: environment)
        }
        return (settings.supports(.apns) ? [key(.apns, .production), key(.apns, .sandbox)] : [])
            + (settings.supports(.fcm) ? [key(.fcm, .production)] : [])
    }
}
