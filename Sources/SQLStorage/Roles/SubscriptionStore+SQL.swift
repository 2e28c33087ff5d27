package import GatewayModel
package import GatewayStorage

extension SubscriptionStore where Self: SQLStore {
    package func subscriptions(brand: BrandID) async throws(StorageError) -> OutboundOverview {
        try await inSnapshot { db in
            guard let key = try db.brandKey(brand) else {
                return OutboundOverview(subscriptions: [], end: 0, removedThrough: 0)
            }
            let (end, removed) = try db.outboundEnds(key)
            let subscriptions = try db.prepare(
                """
                SELECT mark, created_at, acknowledged_at, owner, name FROM subscriptions WHERE brand = ? ORDER BY name
                """
            ).int(key).all { try OutboundSubscription(id: SubscriptionID(trusted: $0.value(4)), $0) }
            return OutboundOverview(subscriptions: subscriptions, end: end, removedThrough: removed)
        }
    }

    package func openSubscription(
        brand id: BrandID,
        _ subscription: SubscriptionID,
        fromStart: Bool,
        owner: String?,
        formerOwner: String?,
        now: Timestamp
    ) async throws(StorageError) -> SubscriptionOpening {
        try await inTransaction { transaction in
            guard let brand = try transaction.brandKey(id) else { return .unknownBrand }
            let db = transaction.db
            if var found = try db.subscription(subscription, of: brand) {
                guard let owner, found.owner == formerOwner else { return .open(found) }
                try db.prepare("UPDATE subscriptions SET owner = ? WHERE brand = ? AND name = ?")
                    .text(owner).int(brand).text(subscription.rawValue).run()
                found.owner = owner
                return .open(found)
            }
            let count: Int? = try db.prepare("SELECT count(*) FROM subscriptions WHERE brand = ?").int(brand)
                .first { try $0.value(0) }
            guard count ?? 0 < OutboundLimits.subscriptions else { return .tooMany }
            let (end, removed) = try db.outboundEnds(brand)
            let made = OutboundSubscription(
                id: subscription,
                mark: fromStart ? removed : end,
                createdAt: now,
                acknowledgedAt: nil,
                owner: owner
            )
            try db.prepare("INSERT INTO subscriptions (brand, name, mark, created_at, owner) VALUES (?, ?, ?, ?, ?)")
                .int(brand).text(subscription.rawValue).int(made.mark).time(now).text(owner).run()
            transaction.readersChanged()
            return .open(made)
        }
    }

    package func acknowledge(
        brand id: BrandID,
        _ subscription: SubscriptionID,
        upTo: Int64,
        now: Timestamp
    ) async throws(StorageError) -> SubscriptionAck {
        try await inTransaction { transaction in
            let db = transaction.db
            guard let brand = try transaction.brandKey(id), var found = try db.subscription(subscription, of: brand)
            else { return .unknown }
            let end = try db.outboundEnds(brand).end
            guard upTo <= end else { return .beyondEnd(end: end) }
            guard upTo > found.mark else { return .acknowledged(found) }
            try db.prepare("UPDATE subscriptions SET mark = ?, acknowledged_at = ? WHERE brand = ? AND name = ?")
                .int(upTo).time(now).int(brand).text(subscription.rawValue).run()
            found.mark = upTo
            found.acknowledgedAt = now
            return .acknowledged(found)
        }
    }

    package func deleteSubscription(
        brand: BrandID,
        _ subscription: SubscriptionID,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool {
        try await inTransaction { transaction in
            guard let brand = try transaction.brandKey(brand),
                try transaction.db.prepare("DELETE FROM subscriptions WHERE brand = ? AND name = ?")
                    .int(brand).text(subscription.rawValue).runCounting() == 1
            else { return false }
            transaction.readersChanged()
            try transaction.write(audit)
            return true
        }
    }
}

extension SQLConnection {
    fileprivate func subscription(_ id: SubscriptionID, of brand: Int64) throws -> OutboundSubscription? {
        try prepare("SELECT mark, created_at, acknowledged_at, owner FROM subscriptions WHERE brand = ? AND name = ?")
            .int(brand).text(id.rawValue).first { try OutboundSubscription(id: id, $0) }
    }
}

extension OutboundSubscription {
    /// Reads the columns from the mark to the owner.
    fileprivate init(id: SubscriptionID, _ row: some SQLStatement) throws {
        self.init(
            id: id,
            mark: try row.value(0),
            createdAt: try row.value(1),
            acknowledgedAt: try row.value(2),
            owner: try row.value(3)
        )
    }
}
