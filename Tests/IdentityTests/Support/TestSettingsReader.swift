import GatewayModel
import Identity
import Synchronization

/// A reader that rejects an empty topic, decrypts with any password but `wrong`, and returns the same facts for every
/// certificate.
final class TestSettingsReader: AppSettingsReader {
    static let certificate = APNsCertificateFacts(
        fingerprint: "ab12",
        commonName: "Apple Push Services: com.example.chat",
        topics: ["com.example.chat", "com.example.chat.voip"],
        environments: [.production, .sandbox],
        expiresAt: Timestamp(milliseconds: 1_800_000_000_000)
    )

    /// The number of decryptions with a password.
    var openings: Int { count.withLock { $0 } }

    private let count = Mutex(0)

    func open(_ app: AppSettings) -> Result<AppSettings, SettingsProblem> {
        guard case .certificate(let closed)? = app.apns?.authentication, let password = closed.password else {
            return .success(app)
        }
        count.withLock { $0 += 1 }
        guard password != "wrong" else {
            return .failure(SettingsProblem(pointer: "/apns/password", detail: "does not open the certificate"))
        }
        var app = app
        app.apns?.authentication = .certificate(APNsCertificateSettings(certificate: closed.certificate + ", opened"))
        return .success(app)
    }

    func problems(_ app: AppSettings) -> [SettingsProblem] {
        app.apns?.topic == "" ? [SettingsProblem(pointer: "/apns/topic", detail: "is empty")] : []
    }

    func certificate(_ app: AppSettings) -> APNsCertificateFacts? {
        guard case .certificate(let settings)? = app.apns?.authentication, settings.password == nil else { return nil }
        return Self.certificate
    }
}
