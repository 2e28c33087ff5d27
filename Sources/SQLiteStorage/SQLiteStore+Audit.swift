import GRDB
import GatewayModel
package import GatewayStorage

extension SQLiteStore {
    package func appendAudit(_ entry: AuditEntry) async throws(StorageError) {
        try await write { try $0.write(entry) }
    }

    package func audit(_ query: AuditQuery) async throws(StorageError) -> [AuditRecord] {
        try await read { db in
            guard let handle = db.sqliteConnection else { throw StorageError.closed }
            let brand: Int64?
            if let id = query.brand {
                let row = try Statement(handle, "SELECT key FROM brands WHERE id = ?").text(id.rawValue)
                guard try row.next() else { return [] }
                brand = row.int64(0)
            } else {
                brand = nil
            }
            let rows = try Statement(
                handle,
                """
                SELECT id, brand_id, at, actor_kind, actor, action, target, changes, request FROM audit \
                WHERE \(brand == nil ? "?1 IS NULL" : "brand = ?1") AND id < ?2 AND at >= ?3 AND at < ?4 \
                ORDER BY id DESC LIMIT ?5
                """
            )
            .int(brand).int(query.before ?? .max).int(query.since?.milliseconds ?? .min)
            .int(query.until?.milliseconds ?? .max).int(query.limit)
            var records: [AuditRecord] = []
            while try rows.next() {
                guard let kind = AuditActor.Kind(rawValue: rows.string(3)),
                    let action = AuditAction(rawValue: rows.string(5))
                else { continue }
                let entry = AuditEntry(
                    brand: BrandID(trusted: rows.string(1)),
                    at: Timestamp(milliseconds: rows.int64(2)),
                    actor: AuditActor(kind: kind, id: rows.string(4)),
                    action: action,
                    target: rows.string(6),
                    changes: rows.string(7).split(separator: "\n").map(String.init),
                    requestID: rows.optionalString(8)
                )
                records.append(AuditRecord(id: rows.int64(0), entry: entry))
            }
            return records
        }
    }
}

extension Writer {
    /// Writes an entry down within the transaction of what it tells; nothing when there is none, or its brand is gone.
    func write(_ entry: AuditEntry?) throws {
        guard let entry, let brand = try brandKey(entry.brand) else { return }
        // Names of members hold no line break: they are ours.
        try db.prepare(
            """
            INSERT INTO audit (brand, brand_id, at, actor_kind, actor, action, target, changes, request) \
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .int(brand).text(entry.brand.rawValue).int(entry.at.milliseconds).text(entry.actor.kind.rawValue)
        .text(entry.actor.id).text(entry.action.rawValue).text(entry.target)
        .text(entry.changes.joined(separator: "\n")).text(entry.requestID).run()
    }

    /// Removes entries that are old enough, oldest first.
    func removeAudit(before: Timestamp, limit: Int) throws -> Int {
        try db.prepare(
            "DELETE FROM audit WHERE id IN (SELECT id FROM audit ORDER BY id LIMIT ?) AND at < ?"
        ).int(limit).int(before.milliseconds).run()
        return db.changedRows
    }
}
