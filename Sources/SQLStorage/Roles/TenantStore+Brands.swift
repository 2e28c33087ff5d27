import Foundation
package import GatewayModel
package import GatewayStorage

extension TenantStore where Self: SQLStore {
    package func insertBrand(_ brand: Brand, audit: AuditEntry?) async throws(StorageError) {
        try await inTransaction { transaction in
            guard try transaction.brandKey(brand.id) == nil else { throw StorageError.duplicate }
            let key: Int64? = try transaction.db.prepare(
                "INSERT INTO brands (id, name, settings, created_at, webhook) VALUES (?, ?, ?, ?, ?) RETURNING key"
            )
            .text(brand.id.rawValue).text(brand.name).text(try storedJSON(brand.settings)).time(brand.createdAt)
            .text(try brand.webhook.map(storedJSON)).first { try $0.value(0) }
            if brand.webhook != nil, let key {
                try transaction.webhookChanged(brand: key, exists: true, isOther: true)
            }
            try transaction.write(audit)
        }
    }

    package func updateBrand(_ brand: Brand, audit: AuditEntry?) async throws(StorageError) -> Bool {
        try await inTransaction { transaction in
            guard let key = try transaction.brandKey(brand.id) else { return false }
            let before: String?? = try transaction.db.prepare("SELECT webhook FROM brands WHERE key = ?").int(key)
                .first { try $0.value(0) }
            let webhook = try brand.webhook.map(storedJSON)
            try transaction.db.prepare("UPDATE brands SET name = ?, settings = ?, webhook = ? WHERE key = ?")
                .text(brand.name).text(try storedJSON(brand.settings)).text(webhook).int(key).run()
            try transaction.webhookChanged(brand: key, exists: webhook != nil, isOther: webhook != before ?? nil)
            try transaction.write(audit)
            return true
        }
    }

    package func deleteBrand(_ brand: BrandID, audit: AuditEntry?) async throws(StorageError) -> [LaneID]? {
        try await inTransaction { transaction in
            guard let key = try transaction.brandKey(brand) else { return nil }
            try transaction.write(audit)
            // The rows of its consumers may be many: housekeeping removes them, and no lookup finds them meanwhile,
            // because every lookup begins at the brand or at a lane. Its key is never reused.
            for sql: StaticString in [
                "INSERT INTO deleted_brands (key) VALUES (?)", "DELETE FROM credentials WHERE brand = ?",
                "DELETE FROM apps WHERE brand = ?", "DELETE FROM brands WHERE key = ?",
                "DELETE FROM subscriptions WHERE brand = ?", "DELETE FROM webhook_states WHERE brand = ?",
                "DELETE FROM outbound_marks WHERE brand = ?", "DELETE FROM in_app_messages WHERE brand = ?",
                "DELETE FROM hooks WHERE brand = ?", "DELETE FROM operator_roles WHERE brand = ?",
                "DELETE FROM delivery_links WHERE brand = ?",
            ] {
                try transaction.db.prepare(sql).int(key).run()
            }
            let lanes = try transaction.db.prepare("DELETE FROM lanes WHERE brand = ? RETURNING id").int(key)
                .all { LaneID(try $0.value(0)) }
            transaction.forgetAll()
            transaction.endedSessions.insert(.brand(brand))
            return lanes
        }
    }

    package func brands() async throws(StorageError) -> [Brand] {
        try await inSnapshot { db in
            try db.prepare("SELECT id, name, settings, created_at, webhook FROM brands ORDER BY id").all { row in
                let settings: String = try row.value(2)
                let webhook: String? = try row.value(4)
                return Brand(
                    id: BrandID(trusted: try row.value(0)),
                    name: try row.value(1),
                    settings: try JSONDecoder().decode(BrandSettings.self, from: Data(settings.utf8)),
                    createdAt: try row.value(3),
                    webhook: try webhook.map { try JSONDecoder().decode(WebhookSettings.self, from: Data($0.utf8)) }
                )
            }
        }
    }
}

/// Returns a value as stored JSON: the same text for the same value, so that a comparison of texts detects a change.
func storedJSON(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}
