package import GatewayModel
package import GatewayStorage

extension ConsumerStore where Self: SQLStore {
    package func messageRecords(
        brand: BrandID,
        consumer: ConsumerID,
        conversation: ConversationID,
        afterSequence: Int64,
        limit: Int
    ) async throws(StorageError) -> [MessageRecord]? {
        let found = try await messages(
            brand: brand,
            consumer: consumer,
            conversation: conversation,
            afterSequence: afterSequence,
            after: nil,
            limit: limit
        )
        guard let found else { return nil }
        return try await inSnapshot { db in
            try found.map { message in
                let tap = try db.prepare("SELECT device, tapped_at, action FROM taps WHERE message = ?")
                    .int(Int64(bitPattern: message.id.high)).first { row in
                        StoredTap(
                            device: DeviceID(trusted: try row.value(0)),
                            tappedAt: try row.value(1),
                            action: try row.value(2)
                        )
                    }
                return MessageRecord(message: message, tap: tap)
            }
        }
    }

    package func message(_ id: MessageID, of brand: BrandID) async throws(StorageError) -> Message? {
        try await inSnapshot { try $0.message(id, of: brand) }
    }

    package func campaignMessages(
        brand: BrandID,
        campaign: CampaignID,
        from first: UInt64,
        through last: UInt64
    ) async throws(StorageError) -> [MessageID]? {
        let (first, last, most) = (Int64(bitPattern: first), Int64(bitPattern: last), Self.maxMessagesBetween)
        return try await inSnapshot { db in
            guard let key = try db.brandKey(brand) else { return [] }
            let next: Int64? = try db.prepare("SELECT key FROM messages WHERE key >= ? ORDER BY key LIMIT 1 OFFSET ?")
                .int(first).int(most).first { try $0.value(0) }
            if let next, next <= last { return nil }
            return try db.prepare(
                """
                SELECT m.key, m.low FROM messages m WHERE m.key >= ? AND m.key <= ? AND m.campaign = ? \
                AND (SELECT brand FROM conversations WHERE key = m.conversation) = ? ORDER BY m.key
                """
            ).int(first).int(last).text(campaign.rawValue).int(key).all { row in
                let (high, low): (Int64, Int64) = (try row.value(0), try row.value(1))
                return MessageID(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low))
            }
        }
    }

    package func pendingProactive(
        brand: BrandID,
        consumer: ConsumerID,
        before: MessageID?,
        now: Timestamp,
        limit: Int
    ) async throws(StorageError) -> [Message] {
        try await inSnapshot { db in
            guard let owner = try db.owner(brand, consumer) else { return [] }
            let before = before.map { Int64(bitPattern: $0.high) } ?? Int64.max
            return try db.prepare(
                composed: """
                    SELECT \(Message.columns) FROM conversations c \
                    JOIN pending_proactive p ON p.conversation = c.key AND p.message < ? \
                    JOIN messages m ON m.key = p.message \
                    WHERE c.consumer = ? AND (m.look_back_until IS NULL OR m.look_back_until >= ?) \
                    ORDER BY m.key DESC LIMIT ?
                    """
            ).int(before).int(owner.key).time(now).int(limit).all {
                try Message($0, brand: brand, consumer: owner.id)
            }
        }
    }
}

extension SQLReader {
    /// Returns a message of a brand; nil when there is none.
    package func message(_ id: MessageID, of brand: BrandID?) throws -> Message? {
        guard let brand else { return nil }
        return try prepare(
            composed: """
                SELECT \(Message.columns), u.id FROM messages m JOIN conversations c ON c.key = m.conversation \
                JOIN consumers u ON u.key = c.consumer JOIN brands b ON b.key = u.brand \
                WHERE m.key = ? AND m.low = ? AND b.id = ?
                """
        )
        .int(Int64(bitPattern: id.high)).int(Int64(bitPattern: id.low)).text(brand.rawValue)
        .first { try Message($0, brand: brand, consumer: ConsumerID(trusted: try $0.value(26))) }
    }
}

extension Message {
    /// The columns of a message `m` of a conversation `c`.
    package static let columns = """
        c.id, m.key, m.low, m.sequence, m.kind, m.source_sequence, m.dialog, m.agent_id, m.agent_nickname, m.text, \
        m.title, m.data, m.link_ios, m.link_android, m.link_web, m.priority, m.collapse_key, m.category, m.sound, \
        m.silent, m.accepted_at, m.sent_at, m.expires_at, m.look_back_until, m.campaign, \
        m.consent
        """

    /// Reads a message from its ``columns``.
    ///
    /// - Parameters:
    ///   - row: A statement at a row.
    ///   - brand: The brand.
    ///   - consumer: The consumer's present id.
    /// - Throws: An error of the engine when a column has another type.
    package convenience init(_ row: some SQLStatement, brand: BrandID, consumer: ConsumerID) throws {
        let key: Int64 = try row.value(1)
        let low: Int64 = try row.value(2)
        let data: String? = try row.value(11)
        self.init(
            id: MessageID(high: UInt64(bitPattern: key), low: UInt64(bitPattern: low)),
            brand: brand,
            consumer: consumer,
            conversation: ConversationID(trusted: try row.value(0)),
            dialog: try row.value(6),
            sequence: try row.value(3),
            sourceSequence: try row.value(5),
            kind: MessageKind(rawValue: try row.value(4)) ?? .agent,
            agentID: try row.value(7),
            agentNickname: try row.value(8),
            text: try row.value(9),
            title: try row.value(10),
            data: data.map(JSONText.init(trusted:)),
            link: PlatformLinks(ios: try row.value(12), android: try row.value(13), web: try row.value(14)),
            priority: PushPriority(rawValue: try row.value(15)) ?? .high,
            collapseKey: try row.value(16),
            category: try row.value(17),
            sound: try row.value(18),
            silent: try row.value(19),
            acceptedAt: try row.value(20),
            sentAt: try row.value(21),
            expiresAt: try row.value(22),
            lookBackUntil: try row.value(23),
            campaign: try row.value(24),
            consentCategory: try row.value(25)
        )
    }
}
