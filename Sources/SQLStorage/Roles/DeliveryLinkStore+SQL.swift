package import GatewayModel
package import GatewayStorage

extension DeliveryLinkStore where Self: SQLStore {
    package func insertDeliveryLink(
        _ link: StoredDeliveryLink,
        limit: Int,
        brandLimit: Int,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool {
        try await inTransaction { transaction in
            guard let brand = try transaction.brandKey(link.brand) else { return false }
            let counts: (delivery: Int64, brand: Int64)? = try transaction.db.prepare(
                """
                SELECT count(CASE WHEN delivery = ? THEN 1 END), count(*) FROM delivery_links \
                WHERE brand = ? AND expires_at > ?
                """
            )
            .int(link.delivery.rawValue).int(brand).time(link.createdAt)
            .first { (delivery: try $0.value(0), brand: try $0.value(1)) }
            guard let counts, counts.delivery < Int64(limit), counts.brand < Int64(brandLimit) else { return false }
            try transaction.db.prepare(
                """
                INSERT INTO delivery_links (token_hash, brand, delivery, actor, actor_kind, created_at, expires_at) \
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
            )
            .blob(link.tokenHash).int(brand).int(link.delivery.rawValue).text(link.actor.id)
            .text(link.actor.kind.rawValue).time(link.createdAt).time(link.expiresAt).run()
            try transaction.write(audit)
            return true
        }
    }

    package func deliveryLinks(
        brand: BrandID,
        delivery: DeliveryID,
        now: Timestamp
    ) async throws(StorageError) -> [StoredDeliveryLink] {
        try await inSnapshot { db in
            try db.prepare(
                """
                SELECT l.token_hash, b.id, l.delivery, l.actor, l.actor_kind, l.created_at, l.expires_at \
                FROM brands b JOIN delivery_links l ON l.brand = b.key \
                WHERE b.id = ? AND l.delivery = ? AND l.expires_at > ? ORDER BY l.created_at, l.token_hash
                """
            )
            .text(brand.rawValue).int(delivery.rawValue).time(now).all { try StoredDeliveryLink($0) }
        }
    }

    package func deliveryLink(
        tokenHash: [UInt8],
        now: Timestamp
    ) async throws(StorageError) -> StoredDeliveryLink? {
        try await inSnapshot { db in
            try db.prepare(
                """
                SELECT l.token_hash, b.id, l.delivery, l.actor, l.actor_kind, l.created_at, l.expires_at \
                FROM delivery_links l JOIN brands b ON b.key = l.brand WHERE l.token_hash = ? AND l.expires_at > ?
                """
            )
            .blob(tokenHash).time(now).first { try StoredDeliveryLink($0) }
        }
    }

    package func deleteDeliveryLink(tokenHash: [UInt8], audit: AuditEntry?) async throws(StorageError) -> Bool {
        try await inTransaction { transaction in
            guard
                try transaction.db.prepare("DELETE FROM delivery_links WHERE token_hash = ?").blob(tokenHash)
                    .runCounting() == 1
            else { return false }
            try transaction.write(audit)
            return true
        }
    }
}

extension SQLTransaction {
    /// Removes links to deliveries that have expired.
    ///
    /// - Parameter batch: The batch, with its time and limit.
    /// - Returns: The number of removed links, and where to continue; nil at the end of the pass.
    /// - Throws: An error of the engine.
    package func removeDeliveryLinks(_ batch: HousekeepingBatch) throws -> (removed: Int, next: HousekeepingPosition?) {
        let removed = try db.prepare(
            """
            DELETE FROM delivery_links WHERE token_hash IN \
            (SELECT token_hash FROM delivery_links WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
            """
        )
        .time(batch.now).int(batch.limit).runCounting()
        return (removed, removed == batch.limit ? HousekeepingPosition() : nil)
    }
}

extension StoredDeliveryLink {
    /// Reads the columns of a link: hash, brand, delivery, caller and kind of caller, creation and end.
    fileprivate init(_ row: some SQLStatement) throws {
        self.init(
            tokenHash: try row.value(0),
            brand: BrandID(trusted: try row.value(1)),
            delivery: DeliveryID(try row.value(2)),
            actor: AuditActor(kind: AuditActor.Kind(rawValue: try row.value(4)) ?? .gateway, id: try row.value(3)),
            createdAt: try row.value(5),
            expiresAt: try row.value(6)
        )
    }
}
