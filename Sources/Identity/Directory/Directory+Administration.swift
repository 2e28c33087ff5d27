internal import FoundationEssentials
package import GatewayModel
import GatewayStorage

extension Directory {
    // MARK: Brands

    /// Creates a brand.
    ///
    /// - Throws: ``DirectoryError/duplicate``, ``DirectoryError/linkHostTaken(_:)`` and others of ``DirectoryError``.
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

    /// Changes a brand's name and settings; its lanes get new providers if the content of their pushes changes.
    ///
    /// - Parameters:
    ///   - id: The brand.
    ///   - origin: The caller.
    ///   - change: The change; it runs exclusively, so that no other change is lost.
    /// - Returns: The changed brand.
    /// - Throws: ``DirectoryError/notFound``, ``DirectoryError/linkHostTaken(_:)``,
    ///   ``DirectoryError/linkHostUsed(_:)``, the error of `change`, and others of ``DirectoryError``.
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

    /// Deletes a brand with everything that belongs to it.
    ///
    /// From then on its sessions and credentials are rejected, and pending deliveries of its devices are neither sent
    /// nor listed.
    ///
    /// - Throws: ``DirectoryError/notFound`` and others of ``DirectoryError``.
    package func deleteBrand(_ id: BrandID, by origin: AuditOrigin = .gateway) async throws(DirectoryError) {
        try await gate.run(of: id) { () async throws(DirectoryError) in
            let audit = entry(.brandDeleted, brand: id, target: id.rawValue, by: origin)
            let lanes = try await stored { () async throws(StorageError) in
                try await self.store.deleteBrand(id, audit: audit)
            }
            // Also when the store no longer has it: an earlier call may have failed after the commit, and its
            // repetition must not leave the brand active.
            guard lanes != nil || snapshot.brands[id] != nil else { throw .notFound }
            let removed = lanes ?? snapshot.lanes(of: id)
            var next = snapshot
            next.brands[id] = nil
            next.apps[id] = nil
            next.hooks = next.hooks.filter { $0.key.brand != id }
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

    /// Creates or changes an app.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - app: The app.
    ///   - settings: Its settings, secrets included; `endpointsBy` is decided here.
    ///   - origin: The caller.
    ///   - condition: Checks the current app, if there is one, and its new settings, and throws to prevent the change.
    /// - Returns: The changed app, and whether it is new.
    /// - Throws: ``DirectoryError/invalid(_:)``, ``DirectoryError/notFound``, the error of `condition`, and others of
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
                throw .invalid([SettingsProblem(pointer: "/links/host", detail: "must be in the brand's linkHosts")])
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
            next.apps[brand, default: [:]][app] = opened
            var change = DirectoryChange()
            for (id, key) in lanes where key.brand == brand && key.app == app {
                next.lanes[id] = key
                // A lane whose credential was removed stays in the store with its pending deliveries; it cannot send.
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

    /// Deletes an app with its registrations and their pending deliveries; throws ``DirectoryError/notFound`` and
    /// others of ``DirectoryError``.
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
            // As for a brand, an earlier call may have deleted it.
            guard lanes != nil || snapshot.apps[brand]?[app] != nil else { throw .notFound }
            let removed = lanes ?? snapshot.lanes(of: brand, app: app)
            var next = snapshot
            next.apps[brand]?[app] = nil
            next.remove(lanes: removed)
            publish(next, DirectoryChange(removedLanes: removed))
            if lanes == nil { throw DirectoryError.notFound }
        }
    }

    // MARK: Helpers

    /// Rejects a link host that another brand has, and the removal of one that an app uses.
    private func checkLinkHosts(of brand: Brand, before: [String]) throws(DirectoryError) {
        let hosts = brand.settings.linkHosts ?? []
        for host in hosts {
            let owner = snapshot.linkHosts[DirectorySnapshot.KeyName(host)]
            if let owner, owner != brand.id { throw .linkHostTaken(host) }
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

    /// Returns an app in its stored form.
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

    /// Returns whether a change of an app requires a new provider.
    ///
    /// It does also when the app was put again unchanged: perhaps the cause of an error was fixed that only its
    /// provider has seen.
    private static func isOther(_ pushType: PushType, in new: AppSettings, than old: AppSettings?) -> Bool {
        guard let old, old != new else { return true }
        let isShared =
            old.platform != new.platform || old.dialect != new.dialect || old.links != new.links
            || old.endpointsBy != new.endpointsBy
        return isShared || pushType.transport.settings?.isChanged(old, new) ?? true
    }

    /// Returns the effect of a brand's change on its lanes.
    private static func laneChange(from old: Brand, to new: Brand) -> LaneChange {
        let (settings, before) = (new.settings, old.settings)
        let saysTheSame =
            new.name.utf8.elementsEqual(old.name.utf8) && settings.preview == before.preview
            && settings.templates == before.templates
        return saysTheSame ? .rules : .rendering
    }

    /// Returns the names of a brand's members that differ.
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
