package import GatewayModel

/// What the directory has to know of an app's settings but cannot read itself: this room knows no provider.
package protocol AppSettingsReader: Sendable {
    /// Opens what a password closes in settings. Derives keys, which takes a processor up to a second.
    ///
    /// - Parameter app: The settings as they were given.
    /// - Returns: The settings with what was opened in its place, which all else here takes; or why they do not open.
    func open(_ app: AppSettings) -> Result<AppSettings, SettingsProblem>

    /// Looks at settings before they are taken: whether keys can be read, endpoints are URLs.
    ///
    /// - Parameter app: The settings, opened.
    /// - Returns: What is wrong; empty is good.
    func problems(_ app: AppSettings) -> [SettingsProblem]

    /// What the app's APNs certificate says of itself; derives no key.
    ///
    /// - Parameter app: The settings.
    /// - Returns: Nil when there is none, or it cannot be read, or a password closes it.
    func certificate(_ app: AppSettings) -> APNsCertificateFacts?
}
