import Configuration
import GatewayModel
import GuardedHTTP
import Identity
import TextFormats

/// The webhook for operator events and the sign-in of operators.
///
/// - `operators.webhook` (URL, default none)
/// - `operators.webhookSecretFile` (path, default none; needed with a webhook)
/// - `operators.oidc.issuer` (URL, default none: operators sign in by passwords only)
/// - `operators.oidc.clientId` (text, required with an issuer)
/// - `operators.oidc.clientSecret` (text, required with an issuer)
/// - `operators.oidc.roles` (name of a claim, required with an issuer)
/// - `operators.oidc.mapping` (`VALUE=ROLE` or `VALUE=ROLE@BRAND`, comma-separated, default none)
/// - `operators.oidc.name` (name of a claim, default `sub`)
/// - `operators.oidc.scopes` (words, separated by spaces, default `openid profile email`)
struct OperatorSettings: Equatable, Sendable {
    /// The URL of the receiver, not checked yet; nil for none; it may hold a secret.
    var webhook: String?
    /// The file of the secret that signs.
    var webhookSecretFile: String?
    /// The identity provider; its issuer is empty when there is none.
    var oidc = OperatorProvider(issuer: "", clientID: "", clientSecret: "", rolesClaim: "")

    /// The identity provider; nil for none.
    var provider: OperatorProvider? { oidc.issuer.isEmpty ? nil : oidc }

    /// The defaults.
    init() {}

    /// Reads and checks; throws ``SettingsError``.
    init(config: ConfigReader) async throws {
        let reader = SettingsReader(config: config)
        webhook = try await reader.text(.operatorsWebhook)
        webhookSecretFile = try await reader.text(.operatorsWebhookSecretFile)
        if let issuer = try await reader.text(.operatorsOIDCIssuer) {
            // Whether the address may be reached is checked with each request.
            let policy = AddressPolicy(allowsPrivate: true, allowsLoopback: true)
            guard (try? GuardedURL(issuer, policy: policy)) != nil, !issuer.utf8.contains(UInt8(ascii: "?")) else {
                throw reader.wrong(.operatorsOIDCIssuer, issuer, "an https URL without a query")
            }
            oidc.issuer = issuer
        }
        oidc.clientID = try await text(.operatorsOIDCClientID, reader)
        oidc.clientSecret = try await text(.operatorsOIDCClientSecret, reader)
        oidc.rolesClaim = try await text(.operatorsOIDCRoles, reader)
        oidc.nameClaim = try await reader.text(.operatorsOIDCName) ?? oidc.nameClaim
        oidc.scopes = try await reader.text(.operatorsOIDCScopes) ?? oidc.scopes
        guard oidc.scopes.split(separator: " ").contains("openid") else {
            throw reader.wrong(.operatorsOIDCScopes, oidc.scopes, "words with openid among them, separated by spaces")
        }
        for (key, name) in [(SettingKey.operatorsOIDCRoles, oidc.rolesClaim), (.operatorsOIDCName, oidc.nameClaim)]
        where BoundedName(name) == nil {
            throw reader.wrong(key, name, "a name of at most \(BoundedName.maxBytes) bytes")
        }
        guard let list = try await reader.list(.operatorsOIDCMapping) else { return }
        oidc.mapping = try list.byteSplit(",", omittingEmptySubsequences: false).map { item in
            let rule = Self.rule(item.trimmingBlanks)
            guard let rule else {
                throw reader.wrong(.operatorsOIDCMapping, list, "VALUE=ROLE or VALUE=ROLE@BRAND, separated by commas")
            }
            return rule
        }
    }

    /// Reads a text, which is required with an issuer; a secret is not in the error.
    private func text(_ key: SettingKey, _ reader: SettingsReader) async throws -> String {
        let text = try await reader.text(key) ?? ""
        guard !text.isEmpty || oidc.issuer.isEmpty else {
            throw reader.wrong(key, "", "set when operators.oidc.issuer is")
        }
        return text
    }

    private static func rule(_ text: Substring) -> OperatorProvider.Rule? {
        guard let sign = text.utf8.lastIndex(of: UInt8(ascii: "=")), sign > text.startIndex,
            let grant = OperatorGrant(text: String(text[text.utf8.index(after: sign)...]))
        else { return nil }
        return OperatorProvider.Rule(value: String(text[..<sign]), grant: grant)
    }
}
