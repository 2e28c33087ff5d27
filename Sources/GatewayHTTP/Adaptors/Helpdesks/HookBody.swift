internal import GatewayModel
internal import HTTPTypes
internal import Identity
internal import TextFormats

/// The body that puts a helpdesk's webhook.
struct HookBody {
    /// The length of a secret that is not one of Standard Webhooks, in bytes.
    private static let secretBytes = 16...512

    /// The settings, without the path's secret.
    let settings: HookSettings
    /// Whether the path has a secret.
    let hasPathSecret: Bool

    /// Validates everything; throws `Problem` 422 with all errors.
    init(_ body: BodyObject) throws(Problem) {
        var checks = FieldChecks()
        let kind = checks.word(body["kind"], as: HookSettings.Kind.self, isRequired: true)
        hasPathSecret = checks.flag(body["pathSecret"]) ?? false
        let header = checks.text(body["signatureHeader"])
        let secret = checks.text(body["secret"], isRequired: !hasPathSecret || header != nil)
        if let header {
            if kind == .chatwoot {
                checks.fail("/signatureHeader", "is not a member of the kind chatwoot")
            } else if header.utf8.count > 64 || HTTPField.Name(header) == nil {
                checks.fail("/signatureHeader", "must be the name of a header, at most 64 bytes")
            }
        }
        if let secret {
            if kind == .generic, header == nil {
                if WebhookSecret(secret) == nil { checks.fail("/secret", WebhookBody.secretDetail) }
            } else if !Self.secretBytes.contains(secret.utf8.count) {
                let range = Self.secretBytes
                checks.fail("/secret", "must be \(range.lowerBound) to \(range.upperBound) bytes")
            }
        }
        var mapping: String?
        if kind == .generic {
            mapping = HookMapping.read(body["mapping"], &checks)
        } else if !body["mapping"].isEmpty {
            checks.fail("/mapping", "is not a member of the kind chatwoot")
        }
        if !body["reply"].isEmpty { checks.fail("/reply", "is not supported by this version") }
        checks.rejectOthers(
            in: body,
            than: ["kind", "secret", "signatureHeader", "pathSecret", "mapping", "reply"]
        )
        settings = HookSettings(
            kind: try checks.finish(kind),
            secret: secret,
            signatureHeader: header,
            mapping: mapping
        )
    }
}
