import Foundation
import GatewayClient
import GuardedHTTP
import Identity

/// The receiver of operator events, with its secret.
struct OperatorWebhookTarget {
    /// The URL.
    let url: String
    /// The secret that signs.
    let secret: WebhookSecret

    /// Reads the secret; nil without a webhook; throws ``CommandFailure`` when one setting is without the other, or one
    /// of them cannot be used.
    ///
    /// No message has the URL, which may hold a secret.
    init?(_ settings: OperatorSettings, policy: AddressPolicy) throws(CommandFailure) {
        let keys = (url: SettingKey.operatorsWebhook.rawValue, file: SettingKey.operatorsWebhookSecretFile.rawValue)
        guard let url = settings.webhook else {
            guard settings.webhookSecretFile == nil else {
                throw CommandFailure(.usage, "\(keys.file) is set without \(keys.url)")
            }
            return nil
        }
        do { _ = try GuardedURL(url, policy: policy) } catch {
            throw CommandFailure(.usage, "\(keys.url) \(error.text)")
        }
        guard let path = settings.webhookSecretFile else {
            throw CommandFailure(.usage, "\(keys.url) needs \(keys.file), the secret that signs")
        }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandFailure(.usage, "\(keys.file) (\(path)) cannot be read")
        }
        guard let secret = WebhookSecret(text.trimmingCharacters(in: .newlines)) else {
            let range = WebhookSecret.keyBytes
            let form = "one line: whsec_ and \(range.lowerBound) to \(range.upperBound) bytes as base64"
            throw CommandFailure(.usage, "\(keys.file) (\(path)) must be \(form)")
        }
        self.url = url
        self.secret = secret
    }
}
