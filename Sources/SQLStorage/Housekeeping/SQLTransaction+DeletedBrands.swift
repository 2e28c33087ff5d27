package import GatewayStorage

/// The remaining rows of deleted brands.
extension SQLTransaction {
    /// Removes rows of the first such brand, those that lead to others last.
    ///
    /// - Parameter batch: The batch, with its limit.
    /// - Returns: The number of removed rows, and where to continue; nil when there is no such brand.
    /// - Throws: An error of the engine.
    package func removeDeletedBrand(_ batch: HousekeepingBatch) throws -> (removed: Int, next: HousekeepingPosition?) {
        guard let brand = try db.prepare("SELECT key FROM deleted_brands ORDER BY key LIMIT 1").integer() else {
            return (0, nil)
        }
        try keepHighMark()
        var room = batch.limit
        try removeRegistrations(brand, &room)
        if room > 0 {
            let log = try db.prepare("SELECT id FROM delivery_log WHERE brand = ? LIMIT ?").int(brand).int(room)
            room -= try removeDeliveries(log.integers())
        }
        if room > 0 { room -= try removeFormerDevices(brand, limit: room) }
        while room > 0,
            let key = try db.prepare("SELECT key FROM conversations WHERE brand = ? LIMIT 1").int(brand).integer()
        {
            try removeConversation(key, &room)
        }
        if room > 0 { room -= try removeArchived(brand, limit: room) }
        try removeConsumers(brand, &room)
        if room > 0 {
            room -= try db.prepare(
                "DELETE FROM campaigns WHERE id IN (SELECT id FROM campaigns WHERE brand = ? LIMIT ?)"
            ).int(brand).int(room).runCounting()
        }
        if room > 0 { room -= try removeEventIDs(ofDeleted: brand, limit: room) }
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
            let key = try db.prepare("SELECT id FROM registrations WHERE brand = ? LIMIT 1").int(brand).integer()
        {
            try db.prepare("DELETE FROM waiting WHERE registration = ?").int(key).run()
            let rows = try db.prepare("SELECT id FROM outbox WHERE registration = ? LIMIT ?").int(key).int(room)
            for id in try rows.integers() {
                try db.prepare("DELETE FROM attempts WHERE delivery = ?").int(id).run()
                try db.prepare("DELETE FROM outbox WHERE id = ?").int(id).run()
                room -= 1
            }
            guard room > 0 else { return }
            try db.prepare("DELETE FROM registrations WHERE id = ?").int(key).run()
            room -= 1
        }
    }

    private func removeFormerDevices(_ brand: Int64, limit: Int) throws -> Int {
        try db.prepare(
            """
            DELETE FROM former_devices WHERE brand = ?1 AND device <= (SELECT max(device) FROM \
            (SELECT device FROM former_devices WHERE brand = ?1 ORDER BY device LIMIT ?2) AS oldest)
            """
        ).int(brand).int(limit).runCounting()
    }

    private func removeArchived(_ brand: Int64, limit: Int) throws -> Int {
        try db.prepare(
            """
            DELETE FROM resting_conversations WHERE (brand, consumer, id) IN (SELECT brand, consumer, id \
            FROM resting_conversations WHERE brand = ?1 LIMIT ?2)
            """
        ).int(brand).int(limit).runCounting()
    }

    private func removeConsumers(_ brand: Int64, _ room: inout Int) throws {
        while room > 0,
            let key = try db.prepare("SELECT key FROM consumers WHERE brand = ? LIMIT 1").int(brand).integer()
        {
            room -= try removeCustomer(key, limit: room)
            guard room > 0 else { return }
            // A consumer has few sessions.
            try db.prepare("DELETE FROM sessions WHERE consumer = ?").int(key).run()
            try db.prepare("DELETE FROM consumers WHERE key = ?").int(key).run()
            room -= 1
        }
    }
}

/// Conversations whose messages are removed.
extension SQLTransaction {
    /// Removes messages of a conversation, each after its deliveries in the log; then the conversation itself.
    func removeConversation(_ conversation: Int64, _ room: inout Int) throws {
        for message in try newestMessages(in: conversation, limit: room) {
            let log = try db.prepare("SELECT id FROM delivery_log WHERE message = ? LIMIT ?").int(message).int(room)
            let deliveries = try log.integers()
            if !deliveries.isEmpty { room -= try removeDeliveries(deliveries) }
            guard room > 0 else { return }
            try removeMessage(message)
            room -= 1
            guard room > 0 else { return }
        }
        try removeConversation(conversation)
        room -= 1
    }

    /// Deletes a conversation whose messages are removed.
    ///
    /// - Parameter conversation: Its key.
    /// - Throws: An error of the engine.
    package func removeConversation(_ conversation: Int64) throws {
        try db.prepare("DELETE FROM conversations WHERE key = ?").int(conversation).run()
        try db.prepare("DELETE FROM conversation_heads WHERE conversation = ?").int(conversation).run()
    }
}
