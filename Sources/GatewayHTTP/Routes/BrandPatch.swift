internal import GatewayModel
internal import GuardedHTTP
internal import Identity
internal import TextFormats

/// The body that changes a brand: a merge patch (RFC 7396).
///
/// A member that is absent stays, a setting that is null takes its default; the whole of the settings as null is the
/// defaults.
struct BrandPatch {
    private let name: String?
    private let settings: SettingsBody?

    /// What becomes of the webhook; nil stays.
    var webhook: WebhookChange? { settings?.webhook }

    /// Checks everything; throws 422.
    init(_ body: BodyObject, addresses: AddressPolicy) throws(Problem) {
        var checks = FieldChecks()
        name = checks.line(body["name"], atMost: BrandBody.maxNameBytes)
        if body["settings"].isNamed, body["settings"].isEmpty {
            settings = .defaults()
        } else {
            settings = checks.object(body["settings"]).map {
                SettingsBody($0, WebhookContext(addresses: addresses), &checks)
            }
        }
        checks.refuseOthers(in: body, than: ["name", "settings"])
        try checks.finish()
    }

    /// Makes the changes.
    func apply(to brand: inout Brand) {
        if let name { brand.name = name }
        settings?.apply(to: &brand.settings)
    }
}
