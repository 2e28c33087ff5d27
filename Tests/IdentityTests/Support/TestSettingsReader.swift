import GatewayModel
import Identity

/// Refuses an empty topic, and reads every certificate as the same one.
struct TestSettingsReader: AppSettingsReader {
    static let certificate = APNsCertificateFacts(
        fingerprint: "ab12",
        commonName: "Apple Push Services: com.example.chat",
        topics: ["com.example.chat", "com.example.chat.voip"],
        environments: [.production, .sandbox],
        expiresAt: Timestamp(milliseconds: 1_800_000_000_000)
    )

    func problems(_ app: AppSettings) -> [SettingsProblem] {
        app.apns?.topic == "" ? [SettingsProblem(pointer: "/apns/topic", detail: "is empty")] : []
    }

    func certificate(_ app: AppSettings) -> APNsCertificateFacts? {
        guard case .certificate = app.apns?.authentication else { return nil }
        return Self.certificate
    }
}
