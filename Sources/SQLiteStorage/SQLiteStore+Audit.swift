import GRDB
import GatewayModel
package import GatewayStorage

extension SQLiteStore {
    package func appendAudit(_ entry: AuditEntry) async throws(StorageError) {
        try await write { try $0.write(entry) }
    }

    package func audit(_ query: AuditQuery) async throws(StorageError) -> [AuditRecord] {
        try await read { db in
            let reader = try ReadConnection(db)
            let brand: Int64?
            if let id = query.brand {
                let row = try reader.kept("SELECT key FROM brands WHERE id = ?").text(id.rawValue)
                guard try row.next() else { return [] }
                brand = row.int64(0)
            } else {
                brand = nil
            }
            let rows = try reader.kept(
                shape: """
                    SELECT id, brand_id, at, actor_kind, actor, action, target, changes, request, count FROM audit \
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
                var entry = AuditEntry(
                    brand: rows.string(1).isEmpty ? nil : BrandID(trusted: rows.string(1)),
                    at: Timestamp(milliseconds: rows.int64(2)),
                    actor: AuditActor(kind: kind, id: rows.string(4)),
                    action: action,
                    target: rows.string(6),
                    changes: rows.string(7).split(separator: "\n").map(String.init),
                    requestID: rows.optionalString(8)
                )
                entry.count = rows.optionalInt64(9)
                records.append(AuditRecord(id: rows.int64(0), entry: entry))
            }
            return records
        }
    }
}

extension Writer {
    /// Writes an entry in the transaction of its change; nothing when it is nil, or its brand is deleted.
    func write(_ entry: AuditEntry?) throws {
        // Brands' keys begin at 1: 0 is the whole instance.
        guard let entry, let brand = try entry.brand.map({ try brandKey($0) }) ?? 0 else { return }
        // The code defines the names of members: they hold no line break.
        try db.prepare(
            """
            INSERT INTO audit (brand, brand_id, at, actor_kind, actor, action, target, changes, request) \
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .int(brand).text(entry.brand?.rawValue ?? "").int(entry.at.milliseconds).text(entry.actor.kind.rawValue)
        .text(entry.actor.id).text(entry.action.rawValue).text(entry.target)
        .text(entry.changes.joined(separator: "\n")).text(entry.requestID).run()
    }

    /// Counts a session that a service account minted, in one entry for each account and hour; other sessions are not
    /// counted.
    ///
    /// - Parameters:
    ///   - account: The credential that opened the session.
    ///   - brand: The brand's key.
    ///   - id: The brand.
    ///   - time: When the session was opened.
    /// - Throws: `StorageError`.
    func countMinted(by account: String, brand: Int64, _ id: BrandID, at time: Timestamp) throws {
        let hour: Int64 = 3_600_000
        try db.prepare(
            """
            INSERT INTO audit (brand, brand_id, at, actor_kind, actor, action, target, changes, count) \
            SELECT ?1, ?2, ?3, ?5, id, 'sessions.minted', id, '', 1 FROM credentials WHERE id = ?4 AND kind = ?5 \
            ON CONFLICT (brand, actor, at) WHERE action = 'sessions.minted' DO UPDATE SET count = count + 1
            """
        )
        .int(brand).text(id.rawValue).int(time.milliseconds / hour * hour).text(account)
        .text(AuditActor.Kind.serviceAccount.rawValue).run()
    }

    /// Removes entries that are old enough, oldest first.
    func removeAudit(before: Timestamp, limit: Int) throws -> Int {
        try db.prepare(
            "DELETE FROM audit WHERE id IN (SELECT id FROM audit ORDER BY id LIMIT ?) AND at < ?"
        ).int(limit).int(before.milliseconds).run()
        return db.changedRows
    }
}
