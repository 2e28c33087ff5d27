import Configuration

/// The webhook for operator events.
///
/// - `operators.webhook` (URL, default none)
/// - `operators.webhookSecretFile` (path, default none; needed with a webhook)
struct OperatorSettings: Equatable {
    /// The URL of the receiver, not checked yet; nil for none; it may hold a secret.
    var webhook: String?
    /// The file of the secret that signs.
    var webhookSecretFile: String?

    /// The defaults.
    init() {}

    /// Reads; throws ``SettingsError``.
    init(config: ConfigReader) async throws {
        let reader = SettingsReader(config: config)
        webhook = try await reader.text(.operatorsWebhook)
        webhookSecretFile = try await reader.text(.operatorsWebhookSecretFile)
    }
}
