package import GatewayModel

/// What the directory has to know of an app's settings but cannot read itself: this room knows no provider.
package protocol AppSettingsReader: Sendable {
    /// Looks at settings before they are taken: whether keys can be read, endpoints are URLs.
    ///
    /// - Parameter app: The settings.
    /// - Returns: What is wrong; empty is good.
    func problems(_ app: AppSettings) -> [SettingsProblem]

    /// What the app's APNs certificate says of itself.
    ///
    /// - Parameter app: The settings.
    /// - Returns: Nil when there is none, or it cannot be read.
    func certificate(_ app: AppSettings) -> APNsCertificateFacts?
}
