import Foundation
import GRDB
package import GatewayModel
package import GatewayStorage
import SQLStorage

extension SQLiteStore {
    // MARK: Brands

    package func insertBrand(_ brand: Brand, audit: AuditEntry?) async throws(StorageError) {
        try await write { writer in
            guard try writer.brandKey(brand.id) == nil else { throw StorageError.duplicate }
            try writer.db.prepare("INSERT INTO brands (id, name, settings, created_at, webhook) VALUES (?, ?, ?, ?, ?)")
                .text(brand.id.rawValue).text(brand.name).text(try Self.json(brand.settings))
                .int(brand.createdAt.milliseconds).text(try Self.json(brand.webhook)).run()
            if brand.webhook != nil {
                try writer.webhookChanged(brand: writer.db.lastInsertedRow, exists: true, isOther: true)
            }
            try writer.write(audit)
        }
    }

    package func updateBrand(_ brand: Brand, audit: AuditEntry?) async throws(StorageError) -> Bool {
        try await write { writer in
            guard let key = try writer.brandKey(brand.id) else { return false }
            let old = try writer.db.prepare("SELECT webhook FROM brands WHERE key = ?").int(key)
            let before = try old.next() ? old.optionalString(0) : nil
            old.end()
            let webhook = try Self.json(brand.webhook)
            try writer.db.prepare("UPDATE brands SET name = ?, settings = ?, webhook = ? WHERE key = ?")
                .text(brand.name).text(try Self.json(brand.settings)).text(webhook).int(key).run()
            try writer.webhookChanged(brand: key, exists: webhook != nil, isOther: webhook != before)
            try writer.write(audit)
            return true
        }
    }

    package func deleteBrand(_ brand: BrandID, audit: AuditEntry?) async throws(StorageError) -> [LaneID]? {
        try await write { writer in
            guard let key = try writer.brandKey(brand) else { return nil }
            let lanes = try writer.lanes(brand: key, app: nil)
            try writer.write(audit)
            // The rows of its consumers may be many: housekeeping removes them, and no lookup finds them meanwhile,
            // because every lookup begins at the brand or at a lane. Its key is never reused.
            for sql: StaticString in [
                "INSERT INTO deleted_brands (key) VALUES (?)", "DELETE FROM credentials WHERE brand = ?",
                "DELETE FROM apps WHERE brand = ?", "DELETE FROM lanes WHERE brand = ?",
                "DELETE FROM brands WHERE key = ?", "DELETE FROM subscriptions WHERE brand = ?",
                "DELETE FROM webhook_states WHERE brand = ?", "DELETE FROM outbound_marks WHERE brand = ?",
            ] {
                try writer.db.prepare(sql).int(key).run()
            }
            writer.forgetAll()
            writer.endedSessions.insert(.brand(brand))
            return lanes
        }
    }

    package func brands() async throws(StorageError) -> [Brand] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT id, name, settings, created_at, webhook FROM brands ORDER BY id").map {
                row in
                let webhook: String? = try row.value(4)
                let settings: String = try row.value(2)
                return try Brand(
                    id: BrandID(trusted: row.value(0)),
                    name: row.value(1),
                    settings: try JSONDecoder().decode(BrandSettings.self, from: Data(settings.utf8)),
                    createdAt: Timestamp(milliseconds: row.value(3)),
                    webhook: try webhook.map { try JSONDecoder().decode(WebhookSettings.self, from: Data($0.utf8)) }
                )
            }
        }
    }

    // MARK: Apps and lanes

    package func putApp(_ app: StoredApp, lanes: [LaneKey], audit: AuditEntry?) async throws(StorageError) -> Bool {
        try await write { writer in
            guard let brand = try writer.brandKey(app.brand) else {
                throw StorageError.constraint(detail: "no such brand")
            }
            let row = try writer.db.prepare("SELECT 1 FROM apps WHERE brand = ? AND id = ?").int(brand).text(
                app.id.rawValue
            )
            let exists = try row.next()
            row.end()
            try writer.db.prepare(
                """
                INSERT INTO apps (brand, id, settings, updated_at) VALUES (?, ?, ?, ?) ON CONFLICT (brand, id) \
                DO UPDATE SET settings = excluded.settings, updated_at = excluded.updated_at
                """
            )
            .int(brand).text(app.id.rawValue).blob(app.sealedSettings).int(app.updatedAt.milliseconds).run()
            for lane in lanes {
                try writer.db.prepare(
                    "INSERT OR IGNORE INTO lanes (brand, app, push_type, environment) VALUES (?, ?, ?, ?)"
                )
                .int(brand).text(lane.app.rawValue).text(lane.pushType.rawValue).text(lane.environment.rawValue).run()
            }
            try writer.write(audit)
            return !exists
        }
    }

    package func deleteApp(
        brand: BrandID,
        app: AppID,
        audit: AuditEntry?
    ) async throws(StorageError) -> [LaneID]? {
        try await write { writer in
            guard let key = try writer.brandKey(brand) else { return nil }
            try writer.db.prepare("DELETE FROM apps WHERE brand = ? AND id = ?").int(key).text(app.rawValue).run()
            guard writer.db.changedRows == 1 else { return nil }
            let lanes = try writer.lanes(brand: key, app: app.rawValue)
            // Its registrations may be many: housekeeping ends them, and no lookup finds them meanwhile, because their
            // lanes are removed. A lane's number is never reused.
            for lane in lanes {
                try writer.db.prepare("INSERT INTO deleted_lanes (lane) VALUES (?)").int(lane.rawValue).run()
            }
            try writer.db.prepare("DELETE FROM lanes WHERE brand = ? AND app = ?").int(key).text(app.rawValue).run()
            writer.memory.registrations.removeAll()
            try writer.write(audit)
            return lanes
        }
    }

    package func apps() async throws(StorageError) -> [StoredApp] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT b.id, a.id, a.settings, a.updated_at FROM apps a JOIN brands b ON b.key = a.brand
                    ORDER BY b.id, a.id
                    """
            ).map { row in
                let settings: Data = try row.value(2)
                return try StoredApp(
                    brand: BrandID(trusted: row.value(0)),
                    id: AppID(trusted: row.value(1)),
                    sealedSettings: [UInt8](settings),
                    updatedAt: Timestamp(milliseconds: row.value(3))
                )
            }
        }
    }

    package func lanes() async throws(StorageError) -> [LaneID: LaneKey] {
        try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT l.id, b.id, l.app, l.push_type, l.environment FROM lanes l JOIN brands b ON b.key = l.brand
                    """
            )
            var lanes: [LaneID: LaneKey] = [:]
            for row in rows {
                guard let pushType = PushType(rawValue: try row.value(3)),
                    let environment = PushEnvironment(rawValue: try row.value(4))
                else {
                    continue
                }
                try lanes[LaneID(row.value(0))] = LaneKey(
                    brand: BrandID(trusted: row.value(1)),
                    app: AppID(trusted: row.value(2)),
                    pushType: pushType,
                    environment: environment
                )
            }
            return lanes
        }
    }

    static func json(_ webhook: WebhookSettings?) throws -> String? {
        guard let webhook else { return nil }
        let encoder = JSONEncoder()
        // The same text for the same settings: a comparison of texts detects a change.
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(webhook), as: UTF8.self)
    }

    private static func json(_ settings: BrandSettings) throws -> String {
        String(decoding: try JSONEncoder().encode(settings), as: UTF8.self)
    }
}

extension Writer {
    func lanes(brand: Int64, app: String?) throws -> [LaneID] {
        var lanes: [LaneID] = []
        let rows = try db.prepare("SELECT id FROM lanes WHERE brand = ?1 AND (?2 IS NULL OR app = ?2)").int(brand).text(
            app
        )
        while try rows.next() { lanes.append(LaneID(rows.int64(0))) }
        return lanes
    }
}
