internal import FoundationEssentials
package import GatewayModel
import GatewayStorage
internal import TextFormats

extension Directory {
    /// The maximum number of helpdesks' webhooks of a brand.
    package static let maxHooksPerBrand = 32

    /// Returns a helpdesk's webhook with its secrets; nil when the brand has no such webhook.
    package func hook(brand: BrandID, id: HookID) -> DirectoryHook? {
        snapshot.hooks[DirectorySnapshot.HookKey(brand: brand, hook: id)]
    }

    /// Returns a brand's helpdesks' webhooks, by id; empty when there are none, or no such brand.
    package func hooks(brand: BrandID) -> [DirectoryHook] {
        snapshot.hooks.values.filter { $0.brand == brand }.sorted { $0.id < $1.id }
    }

    /// The hooks that send consumers' messages back, of all brands.
    package var replyingHooks: [OutboundReceiver] {
        snapshot.hooks.values.filter { $0.settings.reply != nil }.map { OutboundReceiver(brand: $0.brand, hook: $0.id) }
    }

    /// Returns where a hook sends consumers' messages; nil when it does not, or there is no such hook.
    package func reply(brand: BrandID, hook: HookID) -> HookSettings.Reply? {
        self.hook(brand: brand, id: hook)?.settings.reply
    }

    /// Creates or replaces a helpdesk's webhook.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - id: The webhook.
    ///   - settings: Its settings, without the path's secret.
    ///   - hasPathSecret: Whether the path has a secret: the present one, else a new one of 32 bytes.
    ///   - origin: The caller.
    ///   - condition: Checks the current webhook, if there is one, and throws to prevent the change.
    /// - Returns: The webhook, and the one that it replaced.
    /// - Throws: ``DirectoryError/notFound``, ``DirectoryError/tooManyHooks``, the error of `condition`, and others of
    ///   ``DirectoryError``.
    package func putHook(
        brand: BrandID,
        id: HookID,
        settings: HookSettings,
        hasPathSecret: Bool,
        by origin: AuditOrigin = .gateway,
        on condition: (DirectoryHook?) throws(DirectoryError) -> Void = { _ in }
    ) async throws(DirectoryError) -> (hook: DirectoryHook, replaced: DirectoryHook?) {
        try await gate.run(of: brand) { () async throws(DirectoryError) in
            guard snapshot.brands[brand] != nil else { throw .notFound }
            let old = hook(brand: brand, id: id)
            try condition(old)
            guard old != nil || hooks(brand: brand).count < Self.maxHooksPerBrand else { throw .tooManyHooks }
            var settings = settings
            if hasPathSecret {
                settings.pathSecret = old?.settings.pathSecret ?? StrictBase64.encode(SecureRandom.bytes(32), .url)
            }
            let hook = DirectoryHook(brand: brand, id: id, settings: settings, updatedAt: clock.now)
            guard let json = try? JSONEncoder().encode(settings) else {
                throw .invalid([SettingsProblem(pointer: "", detail: "cannot be written as JSON")])
            }
            let stored = StoredHook(
                brand: brand,
                id: id,
                sealedSettings: try seal([UInt8](json), context: Self.sealingContext(brand: brand, hook: id)),
                updatedAt: hook.updatedAt,
                hasReply: settings.reply != nil
            )
            let changes = MemberDifference.names(from: old?.settings, to: settings)
            let audit = entry(.hookChanged, brand: brand, target: id.rawValue, changes: changes, by: origin)
            let isFound = try await self.stored { () async throws(StorageError) in
                try await self.store.putHook(stored, audit: audit)
            }
            guard isFound else { throw .notFound }
            var next = snapshot
            next.hooks[DirectorySnapshot.HookKey(brand: brand, hook: id)] = hook
            publish(next, DirectoryChange())
            return (hook, old)
        }
    }

    /// Deletes a helpdesk's webhook; throws ``DirectoryError/notFound`` and others of ``DirectoryError``.
    package func deleteHook(
        brand: BrandID,
        id: HookID,
        by origin: AuditOrigin = .gateway
    ) async throws(DirectoryError) {
        try await gate.run(of: brand) { () async throws(DirectoryError) in
            let audit = entry(.hookDeleted, brand: brand, target: id.rawValue, by: origin)
            let isDeleted = try await stored { () async throws(StorageError) in
                try await self.store.deleteHook(brand: brand, id: id, audit: audit)
            }
            // As for a brand, an earlier call may have deleted it.
            var next = snapshot
            let known = next.hooks.removeValue(forKey: DirectorySnapshot.HookKey(brand: brand, hook: id))
            if known != nil { publish(next, DirectoryChange()) }
            guard isDeleted else { throw .notFound }
        }
    }

    static func open(_ hook: StoredHook, _ box: SecretBox) throws(DirectoryError) -> DirectoryHook {
        let what = "hook \(hook.brand)/\(hook.id)"
        let text: [UInt8]
        do {
            text = try box.open(hook.sealedSettings, context: sealingContext(brand: hook.brand, hook: hook.id))
        } catch { throw DirectoryError(opening: error, what: what) }
        guard let settings = try? JSONDecoder().decode(HookSettings.self, from: Data(text)) else {
            throw .damaged(what: what)
        }
        return DirectoryHook(brand: hook.brand, id: hook.id, settings: settings, updatedAt: hook.updatedAt)
    }

    /// Returns the context with which a webhook's settings are sealed, so that they open in no other row.
    static func sealingContext(brand: BrandID, hook: HookID) -> String { "hook/\(brand)/\(hook)" }
}
