package import GatewayModel
package import TextFormats

/// A helpdesk's webhook in memory, secrets included.
package struct DirectoryHook: Sendable, Equatable {
    /// The brand.
    package var brand: BrandID
    /// The webhook.
    package var id: HookID
    /// Its settings.
    package let settings: HookSettings
    /// Its mapping, parsed.
    package let mapping: StrictJSON?
    /// The values that its mapping reads of a body; all without a mapping.
    package let selection: StrictJSON.Selection
    /// The key of its signatures; nil when the sender does not sign.
    package let key: HookKey?
    /// The time at which it was last put.
    package var updatedAt: Timestamp

    init(brand: BrandID, id: HookID, settings: HookSettings, updatedAt: Timestamp) {
        self.brand = brand
        self.id = id
        self.settings = settings
        let mapping = settings.mapping.flatMap { try? StrictJSON.parse(Array($0.utf8)) }
        self.mapping = mapping
        selection = mapping.map { StrictJSON.Selection(Self.pointers(in: $0)) } ?? .all
        key = HookKey(settings)
        self.updatedAt = updatedAt
    }

    /// The pointers of a mapping: the names of its filter, and, wherever it is, the text of a member of this name.
    private static func pointers(in mapping: StrictJSON) -> [String] {
        var pointers = (mapping.value(at: "/filter")?.members ?? [:]).keys.map(\.text)
        var rest = mapping.value(at: "/event").map { [$0] } ?? []
        while let template = rest.popLast() {
            for (name, value) in template.members ?? [:] {
                if name == "pointer", let text = value.text { pointers.append(text) } else { rest.append(value) }
            }
        }
        return pointers
    }

    package static func == (lhs: DirectoryHook, rhs: DirectoryHook) -> Bool {
        // The rest is made of the settings.
        (lhs.brand, lhs.id, lhs.updatedAt) == (rhs.brand, rhs.id, rhs.updatedAt) && lhs.settings == rhs.settings
    }

    /// The sender as a caller without any scope, for limits and the log.
    package var caller: ServiceAccountIdentity {
        ServiceAccountIdentity(id: "hook/\(brand)/\(id)", name: id.rawValue, brand: brand, scopes: [])
    }

    /// The fingerprint of the sender's secret; nil when it has none.
    package var secretFingerprint: String? { settings.secret.map(SecretHash.fingerprint) }

    /// Returns whether a request's path has the path's secret, or none where there is none; in constant time.
    package func hasPathSecret(_ given: String?) -> Bool {
        guard let secret = settings.pathSecret else { return given == nil }
        return ConstantTime.equal(Array((given ?? "").utf8), Array(secret.utf8))
    }
}
