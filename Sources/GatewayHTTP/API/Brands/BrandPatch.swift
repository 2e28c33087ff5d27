internal import GatewayModel
internal import GuardedHTTP
internal import Identity
internal import TextFormats

/// The body that changes a brand: a merge patch (RFC 7396).
///
/// An absent member stays unchanged, and a setting that is null is reset to its default; `settings: null` resets all of
/// them.
struct BrandPatch {
    private let name: String?
    private let settings: SettingsBody?

    /// The change of the webhook; nil for none.
    var webhook: WebhookChange? { settings?.webhook }

    /// Validates everything; throws 422.
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
        checks.rejectOthers(in: body, than: ["name", "settings"])
        try checks.finish()
    }

    /// Applies the changes.
    func apply(to brand: inout Brand) {
        if let name { brand.name = name }
        settings?.apply(to: &brand.settings)
    }
}
