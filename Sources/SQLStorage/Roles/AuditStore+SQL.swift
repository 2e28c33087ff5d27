package import GatewayModel
package import GatewayStorage

extension AuditStore where Self: SQLStore {
    package func appendAudit(_ entry: AuditEntry) async throws(StorageError) {
        try await inTransaction { try $0.write(entry) }
    }

    package func audit(_ query: AuditQuery) async throws(StorageError) -> [AuditRecord] {
        try await inSnapshot { try $0.audit(query) }
    }
}

extension SQLReader {
    /// Not the closure that calls it: the optimiser of Swift 6.3 does not end with a loop over rows of `any SQLReader`.
    fileprivate func audit(_ query: AuditQuery) throws -> [AuditRecord] {
        let rows = try prepare(
            composed: """
                SELECT id, brand_id, at, actor_kind, actor, action, target, changes, request, count, reason FROM audit \
                WHERE \(query.brand == nil ? "" : "brand = ? AND ")id < ? AND at >= ? AND at < ? \
                ORDER BY id DESC LIMIT ?
                """
        )
        if let id = query.brand {
            guard let brand = try brandKey(id) else { return [] }
            rows.int(brand)
        }
        rows.int(query.before ?? .max).int(query.since?.milliseconds ?? .min)
            .int(query.until?.milliseconds ?? .max).int(query.limit)
        return try rows.all { row in
            guard let kind = AuditActor.Kind(rawValue: try row.value(3)),
                let action = AuditAction(rawValue: try row.value(5))
            else { return nil }
            let (brand, changes): (String, String) = (try row.value(1), try row.value(7))
            var entry = AuditEntry(
                brand: brand.isEmpty ? nil : BrandID(trusted: brand),
                at: try row.value(2),
                actor: AuditActor(kind: kind, id: try row.value(4)),
                action: action,
                target: try row.value(6),
                changes: changes.split(separator: "\n").map(String.init),
                requestID: try row.value(8)
            )
            entry.count = try row.value(9)
            entry.reason = try row.value(10)
            return AuditRecord(id: try row.value(0), entry: entry)
        }
    }
}

extension SQLTransaction {
    /// Writes an entry in the transaction of its change; nothing when it is nil, or its brand is deleted.
    package func write(_ entry: AuditEntry?) throws {
        // Brands' keys begin at 1: 0 is the whole instance.
        guard let entry, let brand = try entry.brand.map({ try brandKey($0) }) ?? 0 else { return }
        // The code defines the names of members: they hold no line break.
        try db.prepare(
            """
            INSERT INTO audit (brand, brand_id, at, actor_kind, actor, action, target, changes, request, reason) \
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .int(brand).text(entry.brand?.rawValue ?? "").time(entry.at).text(entry.actor.kind.rawValue)
        .text(entry.actor.id).text(entry.action.rawValue).text(entry.target)
        .text(entry.changes.joined(separator: "\n")).text(entry.requestID).text(entry.reason).run()
    }

    /// Counts a session that a service account minted, in one entry for each account and hour; other sessions are not
    /// counted.
    ///
    /// - Parameters:
    ///   - account: The credential that opened the session.
    ///   - brand: The brand's key.
    ///   - id: The brand.
    ///   - time: When the session was opened.
    /// - Throws: An error of the engine.
    package func countMinted(by account: String, brand: Int64, _ id: BrandID, at time: Timestamp) throws {
        let hour: Int64 = 3_600_000
        try db.prepare(
            """
            INSERT INTO audit (brand, brand_id, at, actor_kind, actor, action, target, changes, count) \
            SELECT ?1, ?2, ?3, ?5, id, 'sessions.minted', id, '', 1 FROM credentials WHERE id = ?4 AND kind = ?5 \
            ON CONFLICT (brand, actor, at) WHERE action = 'sessions.minted' DO UPDATE SET count = audit.count + 1
            """
        )
        .int(brand).text(id.rawValue).int(time.milliseconds / hour * hour).text(account)
        .text(AuditActor.Kind.serviceAccount.rawValue).run()
    }

    /// Removes entries that are old enough, oldest first.
    ///
    /// - Parameters:
    ///   - before: Entries from before this moment are old enough.
    ///   - limit: At most this many.
    /// - Returns: The number of removed entries.
    /// - Throws: An error of the engine.
    package func removeAudit(before: Timestamp, limit: Int) throws -> Int {
        try db.prepare("DELETE FROM audit WHERE id IN (SELECT id FROM audit ORDER BY id LIMIT ?) AND at < ?")
            .int(limit).time(before).runCounting()
    }
}
