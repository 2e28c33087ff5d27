import GatewayModel
import GatewayStorage
import SQLStorage
import TextFormats
import TurnRules

/// Consumers, their conversations and registrations, from memory or from the file.
extension Writer {
    /// Returns the consumer of a name, or the one that it was merged into, whose own name differs.
    func consumer(_ name: BrandedName) throws -> KnownConsumer? {
        if let known = memory.consumers.value(name) { return known }
        let row = try db.prepare(
            """
            SELECT u.key, (SELECT coalesce(sum(c.unread), 0) FROM unread_conversations c WHERE c.consumer = u.key), \
            (SELECT t.id FROM consumers t WHERE t.key = u.merged_into), \
            EXISTS (SELECT 1 FROM consumers s WHERE s.merged_into = u.key) \
            FROM consumers u WHERE u.brand = ? AND u.id = ?
            """
        ).int(name.brand).text(name.id)
        guard try row.next() else { return nil }
        if let other = row.optionalString(2) {
            row.end()
            // Not remembered by this name: each consumer is in memory once.
            return try consumer(BrandedName(brand: name.brand, id: other))
        }
        let consumer = KnownConsumer(key: row.int64(0), name: name, unread: row.int64(1))
        let hasOthers = row.int64(3) != 0
        row.end()
        if hasOthers { consumer.mergedNames = try mergedNames(of: consumer.key) }
        memory.consumers.keep(consumer, for: name)
        return consumer
    }

    func makeConsumer(_ name: BrandedName, isAnonymous: Bool, at now: Timestamp) throws -> KnownConsumer {
        let goesAt = isAnonymous ? now.adding(seconds: Self.anonymousStaySeconds).milliseconds : nil
        try db.prepare("INSERT INTO consumers (brand, id, anonymous, created_at, goes_at) VALUES (?, ?, ?, ?, ?)")
            .int(name.brand).text(name.id).int(isAnonymous ? 1 : 0).int(now.milliseconds).int(goesAt).run()
        let consumer = KnownConsumer(key: db.lastInsertedRow, name: name, unread: 0)
        consumer.active = .none
        memory.consumers.keep(consumer, for: name)
        memory.registrations.keep([], for: consumer.key)
        return consumer
    }

    func conversation(_ name: BrandedName, of consumer: KnownConsumer) throws -> KnownConversation? {
        if let known = consumer.conversations.last(where: { $0.name == name }) { return known }
        let row = try db.prepare(
            """
            SELECT key, last_sequence, read_sequence, unread, last_message, last_spoken, resolved, has_unread \
            FROM current_conversations WHERE consumer = ? AND id = ?
            """
        ).int(consumer.key).text(name.id)
        guard try row.next() else {
            return try restoreArchived(name, of: consumer.key) ? try self.conversation(name, of: consumer) : nil
        }
        defer { row.end() }
        let conversation = KnownConversation(
            key: row.int64(0),
            name: name,
            consumer: consumer.key,
            lastSequence: row.int64(1),
            readSequence: row.int64(2),
            unread: row.int64(3),
            lastMessage: row.int64(4),
            lastSpoken: row.int64(5),
            isResolved: row.int64(6) != 0,
            isIndexed: row.int64(7) != 0
        )
        remember(conversation, of: consumer)
        return conversation
    }

    /// Restores a consumer's conversation of which only the counters were kept, and returns whether there was one.
    private func restoreArchived(_ name: BrandedName, of consumer: Int64) throws -> Bool {
        let row = try db.prepare(
            """
            DELETE FROM resting_conversations WHERE brand = ? AND consumer = ? AND id = ? \
            RETURNING last_sequence, read_sequence
            """
        ).int(name.brand).int(consumer).text(name.id)
        guard try row.next() else { return false }
        let (last, read) = (row.int64(0), row.int64(1))
        row.end()
        try db.prepare(
            "INSERT INTO conversations (brand, id, consumer, read_sequence, resolved) VALUES (?, ?, ?, ?, 1)"
        ).int(name.brand).text(name.id).int(consumer).int(read).run()
        try insertHead(of: db.lastInsertedRow, sequence: last, message: 0)
        return true
    }

    private func remember(_ conversation: KnownConversation, of consumer: KnownConsumer) {
        consumer.remember(conversation)
        memory.consumers.grew(by: conversation.bytes)
    }

    func insertConversation(_ name: BrandedName, of consumer: KnownConsumer, own: Int64?) throws -> KnownConversation {
        try db.prepare("INSERT INTO conversations (brand, id, consumer, last_message, own) VALUES (?, ?, ?, ?, ?)")
            .int(name.brand).text(name.id).int(consumer.key).int(own ?? 0).int(own == nil ? 0 : 1).run()
        let key = db.lastInsertedRow
        try insertHead(of: key, sequence: 0, message: own ?? 0)
        let conversation = KnownConversation(key: key, name: name, consumer: consumer.key, lastMessage: own ?? 0)
        remember(conversation, of: consumer)
        return conversation
    }

    /// Inserts the counters of a new conversation, or of one that rested.
    func insertHead(of conversation: Int64, sequence: Int64, message: Int64) throws {
        try db.prepare(
            "INSERT INTO conversation_heads (conversation, last_sequence, unread, last_message) VALUES (?, ?, 0, ?)"
        ).int(conversation).int(sequence).int(message).run()
    }

    /// Returns the name of the unresolved conversation with a consumer's newest message that is not proactive.
    func newestConversation(of consumer: Int64) throws -> String? {
        let row = try db.prepare(
            """
            SELECT id FROM current_conversations WHERE consumer = ? AND resolved = 0 \
            ORDER BY active_message DESC LIMIT 1
            """
        ).int(consumer)
        defer { row.end() }
        return try row.next() ? row.string(0) : nil
    }

    /// Returns the registrations that are pushed to, in the order of their ids.
    func registrations(of consumer: Int64) throws -> [KnownRegistration] {
        if let known = memory.registrations.value(consumer) { return known }
        var found: [KnownRegistration] = []
        let row = try db.prepare(
            """
            SELECT id, lane, token, platform, receives, device, locale, time_zone, \
            (SELECT quiet_hours FROM consumers WHERE key = ?1), imported FROM registrations \
            WHERE consumer = ?1 AND state = 'active' AND lane IN (SELECT id FROM lanes) ORDER BY id
            """
        ).int(consumer)
        while try row.next() {
            found.append(
                KnownRegistration(
                    id: row.int64(0),
                    lane: row.int64(1),
                    token: row.string(2),
                    platform: DevicePlatform(rawValue: row.string(3)) ?? .ios,
                    receives: Receives(rawValue: Int(row.int64(4))),
                    device: row.string(5),
                    traits: DeviceTraits(
                        locale: row.optionalString(6),
                        timeZone: row.optionalString(7),
                        quietHours: row.optionalString(8).flatMap(QuietHours.init(stored:))
                    ),
                    isImported: row.int64(9) != 0
                )
            )
        }
        memory.registrations.keep(found, for: consumer)
        return found
    }

    func owner(of token: AgentEvent.TokenName, brand: Int64) throws -> TokenOwner? {
        let name = BrandedToken(brand: brand, token)
        if let owner = try rememberedOwner(of: name) { return owner }
        let owner = try storedOwner(of: token, brand: brand)
        if let owner { memory.owners.keep(owner, for: name) }
        return owner
    }

    /// Returns the registration that had a token when it was last looked up, if the consumer still has it.
    private func rememberedOwner(of name: BrandedToken) throws -> TokenOwner? {
        guard let owner = memory.owners.value(name),
            let consumer = try consumer(BrandedName(brand: name.brand, id: owner.consumer.rawValue)),
            let registration = try registrations(of: consumer.key).first(where: {
                $0.id == owner.registration.rawValue && $0.token.hasSameBytes(as: name.text)
            })
        else { return nil }
        return TokenOwner(
            registration: owner.registration,
            consumer: ConsumerID(trusted: consumer.name.id),
            receives: registration.receives
        )
    }
}
