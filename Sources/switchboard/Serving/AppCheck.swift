import GatewayModel
import Identity
import PushProviders

/// Looks into an app's settings as its providers will.
struct AppCheck: AppSettingsReader {
    /// For credentials that expire.
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
