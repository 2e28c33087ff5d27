internal import GatewayModel
internal import Identity

/// The body that makes a brand (`http-api.md` section 2).
struct BrandBody: Decodable {
    var id: String
    var name: String
    var settings: BrandSettings?
    var webhook: WebhookMember

    private enum CodingKeys: String, CodingKey {
        case id, name, settings
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        settings = try container.decodeIfPresent(BrandSettings.self, forKey: .settings)
        webhook = try container.decodeIfPresent(WebhookMember.self, forKey: .settings) ?? .absent
    }

    /// The longest name.
    static let maxNameBytes = 256

    /// Checks everything; throws 422.
    func brand(
        createdAt: Timestamp,
        allowsPrivate: Bool
    ) throws(Problem) -> (brand: Brand, webhook: WebhookChange, secret: WebhookSecret?) {
        var checks = FieldChecks()
        let id = checks.identifier(id, "/id", as: BrandID.self)
        let name = checks.line(name, "/name", atMost: Self.maxNameBytes)
        let (change, made) = webhook.change(of: nil, allowsPrivate: allowsPrivate, &checks)
        try checks.finish()
        guard let id, let name else { throw Problem(invalid: "/id", "is required") }
        let brand = Brand(id: id, name: name, settings: settings ?? BrandSettings(), createdAt: createdAt)
        return (brand, change, made)
    }
}
