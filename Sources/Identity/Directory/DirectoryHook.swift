internal import Cryptography
package import GatewayModel
internal import TextFormats

/// A helpdesk's webhook in memory, secrets included; what its requests need is made once.
package final class DirectoryHook: Sendable, Equatable {
    /// The brand.
    package let brand: BrandID
    /// The webhook.
    package let id: HookID
    /// Its settings.
    package let settings: HookSettings
    /// Its mapping; nil without one, and for one that was not checked when it was put.
    package let mapping: PreparedMapping?
    /// The source of its events.
    package let source: String
    /// The sender as a caller without any scope, for limits and the log.
    package let caller: ServiceAccountIdentity
    /// The key of its signatures; nil when the sender does not sign.
    package let key: HookKey?
    /// The time at which it was last put.
    package let updatedAt: Timestamp

    init(brand: BrandID, id: HookID, settings: HookSettings, updatedAt: Timestamp) {
        self.brand = brand
        self.id = id
        self.settings = settings
        mapping = settings.mapping.flatMap { try? StrictJSON.parse(Array($0.utf8)) }.flatMap { PreparedMapping($0) }
        source = id.source
        caller = ServiceAccountIdentity(id: "hook/\(brand)/\(id)", name: id.rawValue, brand: brand, scopes: [])
        key = HookKey(settings)
        self.updatedAt = updatedAt
    }

    package static func == (lhs: DirectoryHook, rhs: DirectoryHook) -> Bool {
        // The rest is made of the settings.
        (lhs.brand, lhs.id, lhs.updatedAt) == (rhs.brand, rhs.id, rhs.updatedAt) && lhs.settings == rhs.settings
    }

    /// The fingerprint of the sender's secret; nil when it has none.
    package var secretFingerprint: String? { settings.secret.map(SecretHash.fingerprint) }

    /// Returns whether a request's path has the path's secret, or none where there is none; in constant time.
    package func hasPathSecret(_ given: String?) -> Bool {
        guard let secret = settings.pathSecret else { return given == nil }
        return (given ?? "").utf8.isEqualInConstantTime(to: secret.utf8)
    }
}
