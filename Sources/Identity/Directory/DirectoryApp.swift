package import GatewayModel

/// An app in memory, secrets included.
package struct DirectoryApp: Sendable, Equatable {
    /// The brand.
    package var brand: BrandID
    /// The app.
    package var id: AppID
    /// Its settings.
    package var settings: AppSettings
    /// The facts of its APNs certificate, if it has one.
    package var certificate: APNsCertificateFacts?
    /// The error of decrypting its certificate with the password when it was needed; nil before that.
    package var openingProblem: SettingsProblem?
    /// The time at which it was last put.
    package var updatedAt: Timestamp

    /// Whether its certificate is still encrypted with a password: an earlier version stored it so, and it was not
    /// needed yet.
    package var isClosed: Bool {
        guard case .certificate? = settings.apns?.authentication else { return false }
        return certificate == nil
    }

    /// The part that may be shown.
    package var redacted: RedactedApp { RedactedApp(self) }

    /// The lanes that its settings allow: one for each environment of its transports.
    var laneKeys: [LaneKey] {
        settings.pushTypes.flatMap { pushType in
            pushType.transport.environments.map { environment in
                LaneKey(brand: brand, app: id, pushType: pushType, environment: environment)
            }
        }
    }
}
