package import GatewayModel

/// Access to an app's settings that the directory cannot parse itself: this module knows no provider.
package protocol AppSettingsReader: Sendable {
    /// Decrypts the parts of settings that a password protects. It derives keys, which takes up to a second of CPU
    /// time.
    ///
    /// - Parameter app: The settings as received.
    /// - Returns: The settings with the decrypted parts, which all other functions expect; or the error.
    func open(_ app: AppSettings) -> Result<AppSettings, SettingsProblem>

    /// Validates settings, decrypted: whether keys can be parsed and endpoints are URLs; returns the errors.
    func problems(_ app: AppSettings) -> [SettingsProblem]

    /// Returns the facts of the app's APNs certificate; derives no key.
    ///
    /// - Returns: Nil when there is none, it cannot be parsed, or it is encrypted with a password.
    func certificate(_ app: AppSettings) -> APNsCertificateFacts?
}
