internal import GatewayModel
internal import GatewayStorage
internal import TextFormats

/// The content of the directory at one moment; immutable once it is published.
struct DirectorySnapshot: Sendable {
    struct AppKey: Hashable, Sendable {
        var brand: BrandID
        var app: AppID
    }

    struct HookKey: Hashable, Sendable {
        var brand: BrandID
        var hook: HookID
    }

    /// A name as its bytes, as the store compares it: in Swift two canonically equivalent strings are equal, and one
    /// brand's key would replace another's.
    struct KeyName: Hashable, Sendable {
        let bytes: [UInt8]

        init(_ name: String) { bytes = Array(name.utf8) }

        /// The name as text.
        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// Returns a credential that is not revoked; nil when there is none of that id.
    func credential(_ id: String) -> StoredCredential? { BoundedName(id).flatMap { credentials[$0] } }

    /// The key of an issuer, as tokens name it.
    struct IssuerKey: Hashable, Sendable {
        var brand: BrandID
        var issuer: KeyName
    }

    /// A revoked issuer: one of its keys when there is a `kid`, else the issuer as a whole.
    struct RevokedIssuer: Hashable, Sendable {
        var key: IssuerKey
        var keyID: KeyName?
    }

    var brands: [BrandID: Brand] = [:] {
        didSet {
            linkHosts = [:]
            ccaiOrigins = []
            for brand in brands.values {
                for host in brand.settings.linkHosts ?? [] { linkHosts[KeyName(host)] = brand.id }
                guard brand.settings.wire.ccai else { continue }
                for origin in brand.settings.allowedOrigins { ccaiOrigins.insert(KeyName(origin)) }
            }
        }
    }
    /// The brand of each link host.
    private(set) var linkHosts: [KeyName: BrandID] = [:]
    /// The origins of all brands with the CCAI adaptor, whose paths name no brand.
    private(set) var ccaiOrigins: Set<KeyName> = []
    var apps: [BrandID: [AppID: DirectoryApp]] = [:]
    var hooks: [HookKey: DirectoryHook] = [:]
    var lanes: [LaneID: LaneKey] = [:]
    /// The lanes that operators have paused, and since when.
    var pausedLanes: [LaneID: Timestamp] = [:]
    /// The lanes with a pace, in pushes a second.
    var lanePaces: [LaneID: Int64] = [:]
    var credentials: [BoundedName: StoredCredential] = [:]
    var serviceAccounts: [BoundedName: ServiceAccount] = [:]
    var sdkKeys: [KeyName: SDKKey] = [:]
    /// The credentials of one `iss`, newest first.
    var jwtIssuers: [IssuerKey: [JWTIssuer]] = [:]
    /// The keys of a brand, newest first.
    var jweKeys: [BrandID: [JWEKey]] = [:]
    /// The identity providers of a brand, newest first.
    var identityProviders: [BrandID: [IdentityProvider]] = [:]
    /// The accounts at Talkdesk of an app, newest first.
    var tokenBrokers: [AppKey: [TokenBroker]] = [:]
    /// The API keys of all brands, by the hashes of their secrets.
    var apiKeys: [[UInt8]: APIKey] = [:]
    /// The keys of customer tokens of all brands, by id.
    var customerTokenKeys: [BoundedName: CustomerTokenKey] = [:]
    var revokedSDKKeys = RevokedNames<KeyName>()
    var revokedIssuers = RevokedNames<RevokedIssuer>()
    var revokedJWEKeys = RevokedNames<KeyName>()
    var revokedCustomerTokenKeys = RevokedNames<BoundedName>()

    /// The apps of all brands, in any order.
    var allApps: [DirectoryApp] { apps.values.flatMap(\.values) }

    func lane(_ id: LaneID) -> LaneDescription? {
        guard
            let key = lanes[id],
            let app = apps[key.brand]?[key.app],
            app.settings.supports(key.pushType),
            let brand = brands[key.brand]
        else { return nil }
        return LaneDescription(id: id, key: key, app: settingsInForce(of: app), brand: brand)
    }

    /// Returns whether an app's brand has the host of the app's links.
    func servesLinks(of app: DirectoryApp) -> Bool {
        guard let links = app.settings.links else { return false }
        return linkHosts[KeyName(links.host)] == app.brand
    }

    /// Returns an app's settings without links that are not served.
    func settingsInForce(of app: DirectoryApp) -> AppSettings {
        var settings = app.settings
        if !servesLinks(of: app) { settings.links = nil }
        return settings
    }

    /// Returns the lanes of a brand, or of one of its apps.
    func lanes(of brand: BrandID, app: AppID? = nil) -> [LaneID] {
        lanes.filter { $0.value.brand == brand && (app == nil || $0.value.app == app) }.map(\.key)
    }

    mutating func remove(lanes ids: some Sequence<LaneID>) {
        for id in ids {
            lanes[id] = nil
            pausedLanes[id] = nil
            lanePaces[id] = nil
        }
    }
}
