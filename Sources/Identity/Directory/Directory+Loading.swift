internal import FoundationEssentials
package import GatewayModel
package import GatewayStorage

extension Directory {
    /// Loads everything from the store and opens what is sealed; a wrong master key shows here, before anything is served.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - box: What the store's secrets are sealed with.
    ///   - clock: For the times of changes.
    ///   - reader: Looks into apps' settings; stored ones are not refused again.
    /// - Returns: The directory.
    /// - Throws: ``DirectoryError/wrongMasterKey(what:)``, ``DirectoryError/damaged(what:)`` or
    ///   ``DirectoryError/storage(_:)``.
    package static func load(
        store: any GatewayStore,
        box: SecretBox,
        clock: any GatewayClock,
        reader: any AppSettingsReader
    ) async throws(DirectoryError) -> Directory {
        let (brands, apps, lanes, credentials) = try await read(store)
        var snapshot = DirectorySnapshot()
        for brand in brands {
            if let webhook = brand.webhook { _ = try open(webhook, of: brand.id, box) }
        }
        for app in apps {
            let opened = try open(app, box, reader)
            snapshot.apps[DirectorySnapshot.AppKey(brand: app.brand, app: app.id)] = opened
        }
        let settled = try await giveLinkHosts(to: brands, of: snapshot.apps.values, store, clock)
        snapshot.brands = Dictionary(uniqueKeysWithValues: settled.map { ($0.id, $0) })
        for (id, key) in lanes { snapshot.insert(lane: id, key: key) }
        for credential in credentials { try snapshot.insert(credential, box) }
        return Directory(snapshot: snapshot, store: store, box: box, clock: clock, reader: reader)
    }

    /// Gives brands of a version that gave no link hosts those that they alone use; one that several brands use is given to
    /// none.
    ///
    /// Done once and stored, so that a host does not change hands later because another brand's app is gone. Brands without
    /// links stay as they are: the next start finds the same of them.
    private static func giveLinkHosts(
        to brands: [Brand],
        of apps: some Collection<DirectoryApp>,
        _ store: any GatewayStore,
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
        _ store: any GatewayStore,
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
        _ store: any GatewayStore
    ) async throws(DirectoryError) -> ([Brand], [StoredApp], [LaneID: LaneKey], [StoredCredential]) {
        do {
            return (
                try await store.brands(), try await store.apps(), try await store.lanes(),
                try await store.credentials()
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

    /// A webhook's keys: the newest, and those before it.
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

    /// What a webhook's secret is sealed with beside the key.
    static func sealingContext(webhookOf brand: BrandID) -> String { "webhook/\(brand)" }

    /// What an app's settings are sealed with beside the key, so that they open in no other row.
    static func sealingContext(brand: BrandID, app: AppID) -> String { "app/\(brand)/\(app)" }

    /// What a credential's secret is sealed with beside the key.
    static func sealingContext(brand: BrandID, credential: String) -> String { "credential/\(brand)/\(credential)" }
}

extension DirectoryError {
    /// What a sealed thing that did not open means.
    init(opening error: SecretBoxError, what: String) {
        switch error {
        case .wrongKey: self = .wrongMasterKey(what: what)
        case .damaged, .unknownVersion: self = .damaged(what: what)
        case .unavailable: self = .sealing(error)
        }
    }
}
