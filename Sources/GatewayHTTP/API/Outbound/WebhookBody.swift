internal import GatewayModel
internal import GuardedHTTP
internal import Identity
internal import TextFormats

/// The member `webhook` of a brand's settings: a merge patch of its own.
///
/// An absent member stays unchanged; `types` null means all types, `secret` null creates a new one, as does its absence
/// at first.
enum WebhookBody {
    /// The members that may be sent back as they were read; they change nothing.
    private static let answered: [BoundedName] = ["secretFingerprint", "previousSecretUntil"]

    /// Reads it and records errors; nil when it is absent.
    static func change(_ member: BodyMember, _ context: WebhookContext, _ checks: inout FieldChecks) -> WebhookChange? {
        guard member.isNamed else { return nil }
        guard !member.isEmpty else { return .remove }
        guard let object = checks.object(member) else { return nil }
        checks.rejectOthers(in: object, than: ["url", "types", "secret"] + answered)
        let needsURL = context.isNew || object["url"].isNamed
        let url = checks.text(object["url"], isRequired: needsURL)
        if let url {
            do { _ = try GuardedURL(url, policy: context.addresses) } catch {
                checks.fail(object["url"].pointer, error.text)
            }
        }
        return .edit(
            WebhookEdit(url: url, types: types(object["types"], &checks), secret: secret(object["secret"], &checks))
        )
    }

    private static func types(_ member: BodyMember, _ checks: inout FieldChecks) -> [OutboundType]?? {
        guard member.isNamed else { return nil }
        guard let items = checks.items(member, atMost: 100) else { return .some(nil) }
        if items.isEmpty { checks.fail(member.pointer, "must name a type, or be null for all") }
        var types: [OutboundType] = []
        for item in items {
            guard let type = checks.word(item, as: OutboundType.self, isRequired: true) else { continue }
            if !types.contains(type) { types.append(type) }
        }
        return types
    }

    private static func secret(_ member: BodyMember, _ checks: inout FieldChecks) -> WebhookEdit.Secret {
        guard member.isNamed else { return .keep }
        guard let text = checks.text(member) else { return .renew }
        if let secret = WebhookSecret(text) { return .given(secret) }
        checks.fail(member.pointer, secretDetail)
        return .keep
    }

    /// The error of a secret of another form.
    static var secretDetail: String {
        let range = WebhookSecret.keyBytes
        return "must be whsec_ and \(range.lowerBound) to \(range.upperBound) bytes as base64"
    }
}

/// The rules for a webhook's address.
struct WebhookContext {
    /// The policy for addresses that it may reach.
    var addresses: AddressPolicy
    /// Whether the brand is being created, so that it has no webhook.
    var isNew = false
}
