internal import FoundationEssentials
package import GatewayModel
import GatewayStorage

extension Directory {
    // MARK: Brands

    /// Makes a brand.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - origin: Who asks.
    /// - Throws: ``DirectoryError/duplicate``, ``DirectoryError/linkHostGiven(_:)`` and others of ``DirectoryError``.
    package func createBrand(_ brand: Brand, by origin: AuditOrigin = .gateway) async throws(DirectoryError) {
        try await gate.run(of: brand.id) { () async throws(DirectoryError) in
            try checkLinkHosts(of: brand, before: [])
            let plain = Brand(id: brand.id, name: "", settings: BrandSettings(), createdAt: brand.createdAt)
            let changes = Self.differences(from: plain, to: brand)
            let audit = entry(.brandCreated, brand: brand.id, target: brand.id.rawValue, changes: changes, by: origin)
            try await stored { () async throws(StorageError) in
                try await self.store.insertBrand(brand, audit: audit)
            }
            var next = snapshot
            next.brands[brand.id] = brand
            publish(next, DirectoryChange())
        }
    }

    /// Changes a brand's name and settings; its lanes get new providers when their pushes say something else by it.
    ///
    /// - Parameters:
    ///   - id: The brand.
    ///   - origin: Who asks.
    ///   - change: Changes it; called while no other change is made, so that none is lost.
    /// - Returns: The brand as it is now.
    /// - Throws: ``DirectoryError/notFound``, ``DirectoryError/linkHostGiven(_:)``, ``DirectoryError/linkHostUsed(_:)``, what
    ///   `change` throws, and others of ``DirectoryError``.
    package func updateBrand(
        _ id: BrandID,
        by origin: AuditOrigin = .gateway,
        _ change: (inout Brand) throws(DirectoryError) -> Void
    ) async throws(DirectoryError) -> Brand {
        try await gate.run(of: id) { () async throws(DirectoryError) -> Brand in
            var next = snapshot
            guard let old = next.brands[id] else { throw .notFound }
            var brand = old
            try change(&brand)
            try checkLinkHosts(of: brand, before: old.settings.linkHosts ?? [])
            let changed = brand
            let names = Self.differences(from: old, to: brand)
            let audit = entry(.brandChanged, brand: id, target: id.rawValue, changes: names, by: origin)
            let isFound = try await stored { () async throws(StorageError) in
                try await self.store.updateBrand(changed, audit: audit)
            }
            guard isFound else { throw .notFound }
            next.brands[id] = brand
            let lanes = next.lanes.keys.filter { next.lanes[$0]?.brand == id && next.lane($0) != nil }
            publish(next, DirectoryChange(changedLanes: lanes, laneChange: Self.laneChange(from: old, to: brand)))
            return brand
        }
    }

    /// Deletes a brand with everything that is its own.
    ///
    /// Its sessions and credentials are refused from then on, and what is pending for its devices is neither sent nor
    /// listed any more.
    ///
    /// - Parameters:
    ///   - id: The brand.
    ///   - origin: Who asks.
    /// - Throws: ``DirectoryError/notFound`` and others of ``DirectoryError``.
    package func deleteBrand(_ id: BrandID, by origin: AuditOrigin = .gateway) async throws(DirectoryError) {
        try await gate.run(of: id) { () async throws(DirectoryError) in
            let audit = entry(.brandDeleted, brand: id, target: id.rawValue, by: origin)
            let lanes = try await stored { () async throws(StorageError) in
                try await self.store.deleteBrand(id, audit: audit)
            }
            // Also when the store has it no more: an earlier call may have been told of a failure after the change was
            // made, and its repetition must not leave the brand in force.
            guard lanes != nil || snapshot.brands[id] != nil else { throw .notFound }
            let removed = lanes ?? snapshot.lanes(of: id)
            var next = snapshot
            next.brands[id] = nil
            next.apps = next.apps.filter { $0.key.brand != id }
            next.remove(lanes: removed)
            for credential in next.credentials.values where credential.brand == id {
                next.removeCredential(credential.id)
            }
            next.forgetRevoked(of: id)
            publish(next, DirectoryChange(removedLanes: removed))
            if lanes == nil { throw DirectoryError.notFound }
        }
    }

    // MARK: Apps

    /// Makes or changes an app.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - app: The app.
    ///   - settings: Its settings, secrets included; `endpointsBy` is decided here.
    ///   - origin: Who asks.
    ///   - condition: Looks at the app as it is before the change, if it is there, and at the settings that it will have, and
    ///     throws to keep it as it is.
    /// - Returns: The app as it is now, and whether it is new.
    /// - Throws: ``DirectoryError/invalid(_:)``, ``DirectoryError/notFound``, what `condition` throws, and others of
    ///   ``DirectoryError``.
    package func putApp(
        brand: BrandID,
        app: AppID,
        settings: AppSettings,
        by origin: AuditOrigin = .gateway,
        on condition: (DirectoryApp?, AppSettings) throws(DirectoryError) -> Void = { _, _ in }
    ) async throws(DirectoryError) -> (app: DirectoryApp, isNew: Bool) {
        let (given, certificate) = try await opened(settings, of: brand)
        return try await gate.run(of: brand) { () async throws(DirectoryError) in
            guard snapshot.brands[brand] != nil else { throw .notFound }
            let old = self.app(brand: brand, app: app)
            var settings = given
            settings.endpointsBy = given.endpointSetter(
                for: origin.actor.kind == .serviceAccount ? .tenant : .admin,
                replacing: old?.settings
            )
            try condition(old, settings)
            if let host = settings.links?.host, snapshot.linkHosts[DirectorySnapshot.KeyName(host)] != brand {
                throw .invalid([SettingsProblem(pointer: "/links/host", detail: "is none of the brand's linkHosts")])
            }
            let opened = DirectoryApp(
                brand: brand,
                id: app,
                settings: settings,
                certificate: certificate,
                updatedAt: clock.now
            )
            let sealed = try sealed(opened)
            let keys = opened.laneKeys
            let audit = entry(
                old == nil ? .appCreated : .appChanged,
                brand: brand,
                target: app.rawValue,
                changes: MemberDifference.names(from: old?.settings, to: settings),
                by: origin
            )
            let (isNew, lanes) = try await stored { () async throws(StorageError) in
                (try await self.store.putApp(sealed, lanes: keys, audit: audit), try await self.store.lanes())
            }
            var next = snapshot
            next.apps[DirectorySnapshot.AppKey(brand: brand, app: app)] = opened
            var change = DirectoryChange()
            for (id, key) in lanes where key.brand == brand && key.app == app {
                next.insert(lane: id, key: key)
                // A lane whose credential was taken away stays in the store with what waits for it; it cannot send.
                if !settings.supports(key.pushType) {
                    change.removedLanes.append(id)
                } else if Self.isOther(key.pushType, in: settings, than: old?.settings) {
                    change.changedLanes.append(id)
                }
            }
            publish(next, change)
            return (opened, isNew)
        }
    }

    /// Deletes an app with its registrations and what is pending for them.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - app: The app.
    ///   - origin: Who asks.
    /// - Throws: ``DirectoryError/notFound`` and others of ``DirectoryError``.
    package func deleteApp(
        brand: BrandID,
        app: AppID,
        by origin: AuditOrigin = .gateway
    ) async throws(DirectoryError) {
        try await gate.run(of: brand) { () async throws(DirectoryError) in
            let audit = entry(.appDeleted, brand: brand, target: app.rawValue, by: origin)
            let lanes = try await stored { () async throws(StorageError) in
                try await self.store.deleteApp(brand: brand, app: app, audit: audit)
            }
            // As with a brand, an earlier call may have deleted it.
            let key = DirectorySnapshot.AppKey(brand: brand, app: app)
            guard lanes != nil || snapshot.apps[key] != nil else { throw .notFound }
            let removed = lanes ?? snapshot.lanes(of: brand, app: app)
            var next = snapshot
            next.apps[key] = nil
            next.remove(lanes: removed)
            publish(next, DirectoryChange(removedLanes: removed))
            if lanes == nil { throw DirectoryError.notFound }
        }
    }

    // MARK: Helpers

    /// Refuses a link host that is given to another brand, and to take one away that an app uses.
    private func checkLinkHosts(of brand: Brand, before: [String]) throws(DirectoryError) {
        let hosts = brand.settings.linkHosts ?? []
        for host in hosts {
            let owner = snapshot.linkHosts[DirectorySnapshot.KeyName(host)]
            if let owner, owner != brand.id { throw .linkHostGiven(host) }
        }
        for host in before where !hosts.contains(where: { $0.utf8.elementsEqual(host.utf8) }) {
            guard apps(linkHost: host).isEmpty else { throw .linkHostUsed(host) }
        }
    }

    func stored<Value>(
        _ work: () async throws(StorageError) -> Value
    ) async throws(DirectoryError) -> Value {
        do {
            return try await work()
        } catch {
            throw error == .duplicate ? .duplicate : .storage(error)
        }
    }

    /// An app as it is stored.
    func sealed(_ app: DirectoryApp) throws(DirectoryError) -> StoredApp {
        guard let json = try? JSONEncoder().encode(app.settings) else {
            throw .invalid([SettingsProblem(pointer: "", detail: "cannot be written as JSON")])
        }
        let context = Self.sealingContext(brand: app.brand, app: app.id)
        return StoredApp(
            brand: app.brand,
            id: app.id,
            sealedSettings: try seal([UInt8](json), context: context),
            updatedAt: app.updatedAt
        )
    }

    /// Whether a provider is made of something else since an app's change.
    ///
    /// It is too when the app was put again as it was: perhaps something was put right that only its provider knows.
    private static func isOther(_ pushType: PushType, in new: AppSettings, than old: AppSettings?) -> Bool {
        guard let old, old != new else { return true }
        let isShared =
            old.platform != new.platform || old.dialect != new.dialect || old.links != new.links
            || old.endpointsBy != new.endpointsBy
        // FCM's devices are woken as the app's APNs settings say.
        func wakesOnRead(_ app: AppSettings) -> Bool { app.apns?.wakesOnRead ?? false }
        switch pushType {
        case .apns: return isShared || old.apns != new.apns
        case .fcm: return isShared || old.fcm != new.fcm || wakesOnRead(old) != wakesOnRead(new)
        case .huawei, .webpush: return true
        }
    }

    /// What a brand's change changes of its lanes.
    private static func laneChange(from old: Brand, to new: Brand) -> LaneChange {
        let (settings, before) = (new.settings, old.settings)
        let saysTheSame =
            new.name.utf8.elementsEqual(old.name.utf8) && settings.preview == before.preview
            && settings.templates == before.templates
        return saysTheSame ? .rules : .rendering
    }

    /// The names of a brand's members that differ.
    private static func differences(from old: Brand, to new: Brand) -> [String] {
        struct Members: Encodable {
            var name: String
            var settings: BrandSettings
            var webhook: WebhookSettings?
        }
        return MemberDifference.names(
            from: Members(name: old.name, settings: old.settings, webhook: old.webhook),
            to: Members(name: new.name, settings: new.settings, webhook: new.webhook)
        )
    }

    func seal(_ bytes: [UInt8], context: String) throws(DirectoryError) -> [UInt8] {
        do {
            return try box.seal(bytes, context: context)
        } catch {
            throw .sealing(error)
        }
    }
}
