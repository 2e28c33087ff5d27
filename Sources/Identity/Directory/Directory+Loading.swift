internal import FoundationEssentials
package import GatewayModel
package import GatewayStorage

extension Directory {
    /// Loads everything from the store and decrypts what is sealed; a wrong master key is detected here, before any
    /// request is served.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - box: The box that sealed the store's secrets.
    ///   - clock: The clock for the times of changes.
    ///   - reader: Parses apps' settings; stored ones are not validated again.
    /// - Returns: The directory.
    /// - Throws: ``DirectoryError/wrongMasterKey(what:)``, ``DirectoryError/damaged(what:)`` or
    ///   ``DirectoryError/storage(_:)``.
    package static func load(
        store: any TenantStore & AuditStore,
        box: SecretBox,
        clock: any GatewayClock,
        reader: any AppSettingsReader
    ) async throws(DirectoryError) -> Directory {
        let (brands, apps, lanes, credentials, hooks) = try await read(store)
        let (pausedLanes, lanePaces): ([LaneID: Timestamp], [LaneID: Int64])
        do {
            pausedLanes = try await store.pausedLanes()
            lanePaces = try await store.lanePaces()
        } catch {
            throw .storage(error)
        }
        var snapshot = DirectorySnapshot()
        for brand in brands {
            if let webhook = brand.webhook { _ = try open(webhook, of: brand.id, box) }
        }
        for app in apps {
            let opened = try open(app, box, reader)
            snapshot.apps[app.brand, default: [:]][app.id] = opened
        }
        let settled = try await giveLinkHosts(to: brands, of: snapshot.allApps, store, clock)
        snapshot.brands = Dictionary(uniqueKeysWithValues: settled.map { ($0.id, $0) })
        for (id, key) in lanes { snapshot.lanes[id] = key }
        snapshot.pausedLanes = pausedLanes
        snapshot.lanePaces = lanePaces
        for credential in credentials { try snapshot.insert(credential, box) }
        for hook in hooks {
            snapshot.hooks[DirectorySnapshot.HookKey(brand: hook.brand, hook: hook.id)] = try open(hook, box)
        }
        return Directory(snapshot: snapshot, store: store, box: box, clock: clock, reader: reader)
    }

    /// Gives brands of a version without link hosts those that they alone use; a host that several brands use is given
    /// to none.
    ///
    /// This is done once and stored, so that a host does not change its brand later because another brand's app was
    /// deleted. Brands without links are not changed: the next start has the same result for them.
    private static func giveLinkHosts(
        to brands: [Brand],
        of apps: some Collection<DirectoryApp>,
        _ store: any TenantStore,
        _ clock: any GatewayClock
    ) async throws(DirectoryError) -> [Brand] {
        var users: [DirectorySnapshot.KeyName: Set<BrandID>] = [:]
        for brand in brands {
            for host in brand.settings.linkHosts ?? [] {
                users[DirectorySnapshot.KeyName(host), default: []].insert(brand.id)
            }
        }
        var used: [BrandID: Set<DirectorySnapshot.KeyName>] = [:]
        for app in apps {
            guard let host = (app.settings.links?.host).map(DirectorySnapshot.KeyName.init) else { continue }
            users[host, default: []].insert(app.brand)
            used[app.brand, default: []].insert(host)
        }
        var settled: [Brand] = []
        for var brand in brands {
            if brand.settings.linkHosts == nil {
                let hosts = used[brand.id] ?? []
                brand.settings.linkHosts = hosts.filter { users[$0]?.count == 1 }.map(\.text).sorted()
                if !hosts.isEmpty { try await Self.store(brand, changed: "settings.linkHosts", store, clock) }
            }
            settled.append(brand)
        }
        return settled
    }

    private static func store(
        _ brand: Brand,
        changed name: String,
        _ store: any TenantStore,
        _ clock: any GatewayClock
    ) async throws(DirectoryError) {
        let audit = AuditEntry(
            brand: brand.id,
            at: clock.now,
            actor: AuditOrigin.gateway.actor,
            action: .brandChanged,
            target: brand.id.rawValue,
            changes: [name],
            requestID: nil
        )
        do { _ = try await store.updateBrand(brand, audit: audit) } catch { throw .storage(error) }
    }

    private static func read(
        _ store: any TenantStore
    ) async throws(DirectoryError) -> ([Brand], [StoredApp], [LaneID: LaneKey], [StoredCredential], [StoredHook]) {
        do {
            return (
                try await store.brands(), try await store.apps(), try await store.lanes(),
                try await store.credentials(), try await store.hooks()
            )
        } catch { throw .storage(error) }
    }

    private static func open(
        _ app: StoredApp,
        _ box: SecretBox,
        _ reader: any AppSettingsReader
    ) throws(DirectoryError) -> DirectoryApp {
        let what = "app \(app.brand)/\(app.id)"
        let text: [UInt8]
        do {
            text = try box.open(app.sealedSettings, context: sealingContext(brand: app.brand, app: app.id))
        } catch { throw DirectoryError(opening: error, what: what) }
        guard let settings = try? JSONDecoder().decode(AppSettings.self, from: Data(text)) else {
            throw .damaged(what: what)
        }
        return DirectoryApp(
            brand: app.brand,
            id: app.id,
            settings: settings,
            certificate: reader.certificate(settings),
            updatedAt: app.updatedAt
        )
    }

    /// Returns a webhook's keys: the newest, then the previous ones.
    static func open(
        _ webhook: WebhookSettings,
        of brand: BrandID,
        _ box: SecretBox
    ) throws(DirectoryError) -> [[UInt8]] {
        let context = sealingContext(webhookOf: brand)
        do {
            var keys = [try box.open(webhook.sealedSecret, context: context)]
            for previous in webhook.previous { keys.append(try box.open(previous.sealedSecret, context: context)) }
            return keys
        } catch { throw DirectoryError(opening: error, what: "the webhook of brand \(brand)") }
    }

    /// Returns the context with which a webhook's secret is sealed.
    static func sealingContext(webhookOf brand: BrandID) -> String { "webhook/\(brand)" }

    /// Returns the context with which an app's settings are sealed, so that they open in no other row.
    static func sealingContext(brand: BrandID, app: AppID) -> String { "app/\(brand)/\(app)" }

    /// Returns the context with which a credential's secret is sealed.
    static func sealingContext(brand: BrandID, credential: String) -> String { "credential/\(brand)/\(credential)" }
}

extension DirectoryError {
    /// Creates the error for a sealed value that did not open.
    init(opening error: SecretBoxError, what: String) {
        switch error {
        case .wrongKey: self = .wrongMasterKey(what: what)
        case .damaged, .unknownVersion: self = .damaged(what: what)
        case .unavailable: self = .sealing(error)
        }
    }
}
