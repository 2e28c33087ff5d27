package import GatewayModel
package import GatewayStorage

extension TenantStore where Self: SQLStore {
    package func putHook(_ hook: StoredHook, audit: AuditEntry?) async throws(StorageError) -> Bool {
        try await inTransaction { transaction in
            guard let brand = try transaction.brandKey(hook.brand) else { return false }
            try transaction.db.prepare(
                """
                INSERT INTO hooks (brand, id, settings, updated_at) VALUES (?, ?, ?, ?) ON CONFLICT (brand, id) \
                DO UPDATE SET settings = excluded.settings, updated_at = excluded.updated_at
                """
            )
            .int(brand).text(hook.id.rawValue).blob(hook.sealedSettings).time(hook.updatedAt).run()
            try transaction.webhookChanged(
                brand: brand,
                hook: hook.id.rawValue,
                exists: hook.hasReply,
                isOther: true
            )
            try transaction.write(audit)
            return true
        }
    }

    package func deleteHook(brand: BrandID, id: HookID, audit: AuditEntry?) async throws(StorageError) -> Bool {
        try await inTransaction { transaction in
            guard let key = try transaction.brandKey(brand),
                try transaction.db.prepare("DELETE FROM hooks WHERE brand = ? AND id = ?").int(key)
                    .text(id.rawValue).runCounting() == 1
            else { return false }
            try transaction.webhookChanged(brand: key, hook: id.rawValue, exists: false, isOther: false)
            try transaction.write(audit)
            return true
        }
    }

    package func hooks() async throws(StorageError) -> [StoredHook] {
        try await inSnapshot { db in
            try db.prepare(
                """
                SELECT b.id, h.id, h.settings, h.updated_at, EXISTS (SELECT 1 FROM webhook_states w \
                WHERE w.brand = h.brand AND w.hook = h.id) FROM hooks h JOIN brands b ON b.key = h.brand \
                ORDER BY b.id, h.id
                """
            ).all { row in
                StoredHook(
                    brand: BrandID(trusted: try row.value(0)),
                    id: HookID(trusted: try row.value(1)),
                    sealedSettings: try row.value(2),
                    updatedAt: try row.value(3),
                    hasReply: try row.value(4)
                )
            }
        }
    }
}
