import GatewayModel
import GatewayStorage
import SQLStorage

/// The remaining rows of deleted brands.
extension Writer {
    /// Removes rows of the first such brand, those that lead to others last.
    func removeDeletedBrand(_ batch: HousekeepingBatch) throws -> (removed: Int, next: HousekeepingPosition?) {
        guard let brand = try first("SELECT key FROM deleted_brands ORDER BY key LIMIT 1", nil) else { return (0, nil) }
        try keepHighMark()
        var room = batch.limit
        try removeRegistrations(brand, &room)
        try removeLog(brand, &room)
        try removeFormerDevices(brand, &room)
        try removeConversations(brand, &room)
        try removeArchived(brand, &room)
        try removeConsumers(brand, &room)
        try removeCampaigns(brand, &room)
        try loadReplays()
        for bucket in replays.buckets where room > 0 {
            room -= try removeEventIDs(brand: brand, bucket: bucket, limit: room)
        }
        if room > 0 { room -= try removeOutbound(ofDeleted: brand, limit: room) }
        if room > 0 {
            try db.prepare("DELETE FROM message_marks WHERE brand = ?").int(brand).run()
            try db.prepare("DELETE FROM stale_looks WHERE brand = ?").int(brand).run()
            try db.prepare("DELETE FROM deleted_brands WHERE key = ?").int(brand).run()
        }
        return (batch.limit - room, HousekeepingPosition())
    }

    /// Removes registrations after their outbox rows, so that a late response finds its row complete or not at all.
    private func removeRegistrations(_ brand: Int64, _ room: inout Int) throws {
        while room > 0,
            let registration = try first("SELECT id FROM registrations WHERE brand = ? LIMIT 1", brand)
        {
            try db.prepare("DELETE FROM waiting WHERE registration = ?").int(registration).run()
            for id in try keys("SELECT id FROM outbox WHERE registration = ? LIMIT ?", registration, room) {
                try db.prepare("DELETE FROM attempts WHERE delivery = ?").int(id).run()
                try db.prepare("DELETE FROM outbox WHERE id = ?").int(id).run()
                room -= 1
            }
            guard room > 0 else { return }
            try db.prepare("DELETE FROM registrations WHERE id = ?").int(registration).run()
            room -= 1
        }
    }

    private func removeLog(_ brand: Int64, _ room: inout Int) throws {
        guard room > 0 else { return }
        room -= try removeDeliveries(try keys("SELECT id FROM delivery_log WHERE brand = ? LIMIT ?", brand, room))
    }

    private func removeFormerDevices(_ brand: Int64, _ room: inout Int) throws {
        guard room > 0 else { return }
        try db.prepare(
            """
            DELETE FROM former_devices WHERE brand = ?1 AND device <= (SELECT max(device) FROM \
            (SELECT device FROM former_devices WHERE brand = ?1 ORDER BY device LIMIT ?2))
            """
        ).int(brand).int(room).run()
        room -= db.changedRows
    }

    private func removeConversations(_ brand: Int64, _ room: inout Int) throws {
        while room > 0, let conversation = try first("SELECT key FROM conversations WHERE brand = ? LIMIT 1", brand) {
            for key in try newestMessages(in: conversation, limit: room) {
                try removeMessage(key)
                room -= 1
            }
            guard room > 0 else { return }
            try removeConversation(conversation)
            room -= 1
        }
    }

    private func removeArchived(_ brand: Int64, _ room: inout Int) throws {
        guard room > 0 else { return }
        try db.prepare(
            """
            DELETE FROM resting_conversations WHERE (brand, consumer, id) IN (SELECT brand, consumer, id \
            FROM resting_conversations WHERE brand = ?1 LIMIT ?2)
            """
        ).int(brand).int(room).run()
        room -= db.changedRows
    }

    private func removeConsumers(_ brand: Int64, _ room: inout Int) throws {
        while room > 0, let consumer = try first("SELECT key FROM consumers WHERE brand = ? LIMIT 1", brand) {
            // A consumer has few sessions.
            try db.prepare("DELETE FROM sessions WHERE consumer = ?").int(consumer).run()
            try db.prepare("DELETE FROM consumers WHERE key = ?").int(consumer).run()
            room -= 1
        }
    }

    private func removeCampaigns(_ brand: Int64, _ room: inout Int) throws {
        guard room > 0 else { return }
        let campaigns = try keys("SELECT id FROM campaigns WHERE brand = ? LIMIT ?", brand, room)
        room -= try removeCampaigns(campaigns, before: Timestamp(milliseconds: .max))
    }

    func first(_ sql: StaticString, _ key: Int64?) throws -> Int64? {
        let row = try db.prepare(sql)
        if let key { row.int(key) }
        defer { row.end() }
        return try row.next() ? row.int64(0) : nil
    }

    func keys(_ sql: StaticString, _ key: Int64, _ limit: Int) throws -> [Int64] {
        var keys: [Int64] = []
        let rows = try db.prepare(sql).int(key).int(limit)
        while try rows.next() { keys.append(rows.int64(0)) }
        return keys
    }
}
