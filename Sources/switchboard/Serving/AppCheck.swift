import GatewayModel
import Identity
import PushProviders

/// What an app's settings must pass before they are stored.
enum AppCheck {
    /// Looks at every credential as its provider will.
    ///
    /// - Parameter app: The settings.
    /// - Returns: What is wrong; empty when the providers can be made.
    static func problems(_ app: AppSettings) -> [SettingsProblem] {
        do {
            try PushProviderFactory.validate(app: app)
            return []
        } catch {
            return [SettingsProblem(pointer: error.pointer, detail: error.detail)]
        }
    }
}
