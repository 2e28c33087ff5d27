internal import GatewayModel
internal import GuardedHTTP
internal import Identity
internal import TextFormats

/// The body that creates a brand (BrandsAndApps page).
enum BrandBody {
    /// The maximum length of a name.
    static let maxNameBytes = 256

    /// Validates everything; throws 422.
    static func brand(
        _ body: BodyObject,
        createdAt: Timestamp,
        addresses: AddressPolicy
    ) throws(Problem) -> (brand: Brand, webhook: WebhookChange?) {
        var checks = FieldChecks()
        let id = checks.identifier(body["id"], as: BrandID.self, isRequired: true)
        let name = checks.line(body["name"], atMost: maxNameBytes, isRequired: true)
        var settings = BrandSettings()
        let context = WebhookContext(addresses: addresses, isNew: true)
        let named = checks.object(body["settings"]).map { SettingsBody($0, context, &checks) }
        named?.apply(to: &settings)
        checks.rejectOthers(in: body, than: ["id", "name", "settings"])
        let (brand, text) = try checks.finish(id, name)
        return (Brand(id: brand, name: text, settings: settings, createdAt: createdAt), named?.webhook)
    }
}
