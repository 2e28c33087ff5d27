import GatewayModel
import GatewayStorage

/// The readers of outbound feeds and their positions.
extension Writer {
    func openSubscription(
        brand: Int64,
        _ id: SubscriptionID,
        fromStart: Bool,
        owner: String?,
        formerOwner: String?,
        now: Timestamp
    ) throws -> SubscriptionOpening {
        if var found = try subscription(brand: brand, id) {
            guard let owner, found.owner == formerOwner else { return .open(found) }
            try db.prepare("UPDATE subscriptions SET owner = ? WHERE brand = ? AND name = ?")
                .text(owner).int(brand).text(id.rawValue).run()
            found.owner = owner
            return .open(found)
        }
        let row = try db.prepare("SELECT count(*) FROM subscriptions WHERE brand = ?").int(brand)
        _ = try row.next()
        let count = row.int64(0)
        row.end()
        guard count < OutboundLimits.subscriptions else { return .tooMany }
        let made = OutboundSubscription(
            id: id,
            mark: fromStart ? try outboundRemoved(brand) : try outboundEnd(brand),
            createdAt: now,
            acknowledgedAt: nil,
            owner: owner
        )
        try db.prepare("INSERT INTO subscriptions (brand, name, mark, created_at, owner) VALUES (?, ?, ?, ?, ?)")
            .int(brand).text(id.rawValue).int(made.mark).int(now.milliseconds).text(owner).run()
        readersChanged()
        return .open(made)
    }

    func acknowledge(brand: Int64, _ id: SubscriptionID, upTo: Int64, now: Timestamp) throws -> SubscriptionAck {
        guard var found = try subscription(brand: brand, id) else { return .unknown }
        let end = try outboundEnd(brand)
        guard upTo <= end else { return .beyondEnd(end: end) }
        guard upTo > found.mark else { return .acknowledged(found) }
        try db.prepare("UPDATE subscriptions SET mark = ?, acknowledged_at = ? WHERE brand = ? AND name = ?")
            .int(upTo).int(now.milliseconds).int(brand).text(id.rawValue).run()
        found.mark = upTo
        found.acknowledgedAt = now
        return .acknowledged(found)
    }

    func deleteSubscription(brand: Int64, _ id: SubscriptionID) throws -> Bool {
        try db.prepare("DELETE FROM subscriptions WHERE brand = ? AND name = ?").int(brand).text(id.rawValue).run()
        let isFound = db.changedRows == 1
        if isFound { readersChanged() }
        return isFound
    }

    private func subscription(brand: Int64, _ id: SubscriptionID) throws -> OutboundSubscription? {
        let row = try db.prepare(
            "SELECT mark, created_at, acknowledged_at, owner FROM subscriptions WHERE brand = ? AND name = ?"
        ).int(brand).text(id.rawValue)
        guard try row.next() else { return nil }
        defer { row.end() }
        return OutboundSubscription(
            id: id,
            mark: row.int64(0),
            createdAt: Timestamp(milliseconds: row.int64(1)),
            acknowledgedAt: row.optionalInt64(2).map(Timestamp.init(milliseconds:)),
            owner: row.optionalString(3)
        )
    }

    // MARK: Webhooks

    /// Updates a brand's webhook state after a change of its settings, which are in `brands` already.
    func webhookChanged(brand: Int64, exists: Bool, isOther: Bool) throws {
        guard exists else {
            try db.prepare("DELETE FROM webhook_states WHERE brand = ?").int(brand).run()
            if db.changedRows == 1 { readersChanged() }
            return
        }
        guard isOther else { return }
        let end = try outboundEnd(brand)
        try db.prepare(
            """
            INSERT INTO webhook_states (brand, revision, mark) VALUES (?, 1, ?) ON CONFLICT (brand) \
            DO UPDATE SET revision = revision + 1, attempts = 0, next_try = NULL, switched_off = 0
            """
        ).int(brand).int(end).run()
        readersChanged()
    }

    func put(_ state: WebhookState, brand: Int64) throws -> Bool {
        try db.prepare(
            """
            UPDATE webhook_states SET mark = ?3, batch_through = ?4, attempts = ?5, next_try = ?6, last_tried_at = ?7, \
            last_status = ?8, last_error = ?9, switched_off = ?10 WHERE brand = ?1 AND revision = ?2
            """
        )
        .int(brand).int(state.revision).int(state.mark).int(state.batchThrough).int(state.attempts)
        .int(state.nextTry?.milliseconds).int(state.lastTriedAt?.milliseconds).int(state.lastStatus)
        .text(state.lastError).int(state.isSwitchedOff ? 1 : 0).run()
        return db.changedRows == 1
    }

    /// Moves a webhook's mark; false when there is no webhook.
    func replayWebhook(brand: Int64, after: Int64) throws -> Bool {
        let end = try outboundEnd(brand)
        try db.prepare(
            """
            UPDATE webhook_states SET revision = revision + 1, mark = ?2, batch_through = NULL, attempts = 0, \
            next_try = NULL, switched_off = 0 WHERE brand = ?1
            """
        ).int(brand).int(min(max(after, 0), end)).run()
        return db.changedRows == 1
    }

    // MARK: Housekeeping

    /// Removes the oldest items of brands: those past their retention, and those that every reader has acknowledged and
    /// that are past the time for a replay.
    func removeOutbound(
        _ batch: HousekeepingBatch,
        before: [BrandID: Timestamp],
        acknowledgedBefore: Timestamp
    ) throws -> (removed: Int, next: HousekeepingPosition?) {
        var removed = 0
        let first = batch.position?.brand?.rawValue ?? ""
        for brand in before.keys.sorted() where brand.rawValue >= first {
            guard let key = try brandKey(brand), let limit = before[brand] else { continue }
            let acknowledged = try acknowledgedByAll(key)
            let rows = try db.prepare("SELECT position, time FROM outbound WHERE brand = ? ORDER BY position LIMIT ?")
                .int(key).int(batch.limit - removed)
            var through: Int64?
            var (seen, count) = (0, 0)
            while try rows.next() {
                let (position, time) = (rows.int64(0), rows.int64(1))
                let isOver = time < limit.milliseconds
                let isRead = position <= acknowledged && time < acknowledgedBefore.milliseconds
                seen += 1
                if isOver || isRead {
                    (through, count) = (position, seen)
                    continue
                }
                // One from a time when the clock was ahead is removed with those behind it.
                if time <= batch.now.milliseconds {
                    rows.end()
                    break
                }
            }
            guard let through else { continue }
            try db.prepare("DELETE FROM outbound WHERE brand = ? AND position <= ?").int(key).int(through).run()
            try db.prepare("INSERT OR REPLACE INTO outbound_marks (brand, removed) VALUES (?, ?)")
                .int(key).int(through).run()
            removed += count
            if removed == batch.limit { return (removed, HousekeepingPosition(brand: brand)) }
        }
        return (removed, nil)
    }

    private func acknowledgedByAll(_ brand: Int64) throws -> Int64 {
        let row = try db.prepare(
            """
            SELECT min(coalesce((SELECT min(mark) FROM subscriptions WHERE brand = ?1), 9223372036854775807), \
            coalesce((SELECT mark FROM webhook_states WHERE brand = ?1), 9223372036854775807))
            """
        ).int(brand)
        defer { row.end() }
        return try row.next() ? row.int64(0) : 0
    }

    /// Removes items of a deleted brand, at most `limit` of them.
    func removeOutbound(ofDeleted brand: Int64, limit: Int) throws -> Int {
        try db.prepare(
            """
            DELETE FROM outbound WHERE brand = ?1 AND position <= (SELECT max(position) FROM \
            (SELECT position FROM outbound WHERE brand = ?1 ORDER BY position LIMIT ?2))
            """
        ).int(brand).int(limit).run()
        return db.changedRows
    }
}
