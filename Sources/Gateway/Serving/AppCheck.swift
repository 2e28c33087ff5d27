import GatewayModel
import Identity
import PushProviders

/// Validates an app's settings in the same way as its providers do.
struct AppCheck: AppSettingsReader {
    /// The clock for the expiry of credentials.
    let clock: any GatewayClock

    func open(_ app: AppSettings) -> Result<AppSettings, SettingsProblem> {
        do {
            return .success(try PushProviderFactory.open(app: app))
        } catch {
            return .failure(SettingsProblem(pointer: error.pointer, detail: error.detail))
        }
    }

    func problems(_ app: AppSettings) -> [SettingsProblem] {
        do {
            try PushProviderFactory.validate(app: app, now: clock.now)
            return []
        } catch {
            return [SettingsProblem(pointer: error.pointer, detail: error.detail)]
        }
    }

    func certificate(_ app: AppSettings) -> APNsCertificateFacts? {
        guard case .certificate(let settings) = app.apns?.authentication else { return nil }
        return try? APNsCertificate(settings).facts
    }
}
