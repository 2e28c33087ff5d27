internal import GatewayModel
internal import GuardedHTTP
internal import HTTPTypes
internal import Identity
internal import TextFormats

/// The body that puts a helpdesk's webhook.
struct HookBody {
    /// The length of a secret that is not one of Standard Webhooks, in bytes.
    private static let secretBytes = 16...512
    /// The maximum length of an access token, in bytes.
    private static let tokenBytes = 512

    /// The settings, without the path's secret.
    let settings: HookSettings
    /// Whether the path has a secret.
    let hasPathSecret: Bool

    /// Validates everything, the address of replies by the policy; throws `Problem` 422 with all errors.
    init(_ body: BodyObject, _ addresses: AddressPolicy) throws(Problem) {
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
        var reply: HookSettings.Reply?
        if kind == .generic, !body["reply"].isEmpty {
            checks.fail("/reply", "is not a member of the kind generic")
        } else {
            reply = Self.reply(body["reply"], addresses, &checks)
        }
        checks.rejectOthers(
            in: body,
            than: ["kind", "secret", "signatureHeader", "pathSecret", "mapping", "reply"]
        )
        settings = HookSettings(
            kind: try checks.finish(kind),
            secret: secret,
            signatureHeader: header,
            mapping: mapping,
            reply: reply
        )
    }

    /// Reads where consumers' messages go back to; nil when it is absent, or with an error.
    private static func reply(
        _ member: BodyMember,
        _ addresses: AddressPolicy,
        _ checks: inout FieldChecks
    ) -> HookSettings.Reply? {
        guard let object = checks.object(member) else { return nil }
        checks.rejectOthers(in: object, than: ["url", "accountId", "token"])
        let url = checks.text(object["url"], isRequired: true)
        let account = checks.integer(object["accountId"], in: 1...Int64.max, isRequired: true)
        let token = checks.text(object["token"], isRequired: true)
        if let token, !(1...tokenBytes).contains(token.utf8.count) || !token.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) {
            checks.fail(object["token"].pointer, "must be 1 to \(tokenBytes) visible ASCII characters")
        }
        guard let url else { return nil }
        let reply = HookSettings.Reply(url: url, accountId: account ?? .max, token: token ?? "")
        if url.utf8.contains(0x3F) { checks.fail(object["url"].pointer, "must have no query") }
        do { _ = try GuardedURL(reply.messages(conversation: .max), policy: addresses) } catch {
            checks.fail(object["url"].pointer, error.text)
        }
        return reply
    }
}
