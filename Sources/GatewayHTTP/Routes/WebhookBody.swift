internal import GatewayModel
internal import Identity
internal import Outbound

/// The member `webhook` of a brand's settings as it comes in: a merge patch of its own.
///
/// A member that is absent stays; `types` null is everything, `secret` null or absent at first makes a new one.
struct WebhookBody: Decodable {
    private enum CodingKeys: String, CodingKey {
        case url, secret, types
    }

    private let url: String?
    private let secret: String?
    private let types: [String]?
    /// The members that are there, null or not.
    private let named: Set<CodingKeys>

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        url = try container.decodeIfPresent(String.self, forKey: .url)
        secret = try container.decodeIfPresent(String.self, forKey: .secret)
        types = try container.decodeIfPresent([String].self, forKey: .types)
        named = Set(container.allKeys)
    }

    /// What changes, and the secret if it was made here: it is shown once.
    func change(
        of current: WebhookSettings?,
        allowsPrivate: Bool,
        _ checks: inout FieldChecks
    ) -> (change: WebhookChange, made: WebhookSecret?) {
        let pointer = "/settings/webhook"
        let address = url ?? (named.contains(.url) ? nil : current?.url)
        if let address {
            do { _ = try WebhookURL(address, allowsPrivate: allowsPrivate) } catch {
                checks.fail(pointer + "/url", error.text)
            }
        } else {
            checks.fail(pointer + "/url", "is required")
        }
        var wanted = named.contains(.types) ? nil : current?.types
        if let types {
            wanted = []
            if types.isEmpty { checks.fail(pointer + "/types", "must name a type, or be null for all") }
            for (index, text) in types.enumerated() {
                guard let type = checks.word(text, "\(pointer)/types/\(index)", as: OutboundType.self) else { continue }
                if wanted?.contains(type) == false { wanted?.append(type) }
            }
        }
        var made: WebhookSecret?
        var given: WebhookSecret?
        if let secret {
            given = WebhookSecret(secret)
            if given == nil {
                let range = WebhookSecret.keyBytes
                let detail = "must be whsec_ and \(range.lowerBound) to \(range.upperBound) bytes as base64"
                checks.fail(pointer + "/secret", detail)
            }
        } else if current == nil || named.contains(.secret) {
            made = WebhookSecret()
        }
        return (.set(url: address ?? "", types: wanted, secret: given ?? made), made)
    }
}

/// What a brand's settings say of its webhook.
enum WebhookMember: Decodable {
    /// Nothing.
    case absent
    /// There is none.
    case null
    /// This.
    case body(WebhookBody)

    private enum CodingKeys: String, CodingKey {
        case webhook
    }

    /// Reads it from the settings.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard container.contains(.webhook) else {
            self = .absent
            return
        }
        self =
            try container.decodeNil(forKey: .webhook)
            ? .null : .body(container.decode(WebhookBody.self, forKey: .webhook))
    }

    /// What changes; see ``WebhookBody``.
    func change(
        of current: WebhookSettings?,
        allowsPrivate: Bool,
        _ checks: inout FieldChecks
    ) -> (change: WebhookChange, made: WebhookSecret?) {
        switch self {
        case .absent: (.keep, nil)
        case .null: (.remove, nil)
        case .body(let body): body.change(of: current, allowsPrivate: allowsPrivate, &checks)
        }
    }
}
