package import GatewayModel
package import GatewayStorage

/// The consumer `u` that the name `n` of brand `b` means: its own, or the one that it was merged into.
private let namedConsumer = """
    consumers n JOIN brands b ON b.key = n.brand JOIN consumers u ON u.key = coalesce(n.merged_into, n.key)
    """

/// The unread count of consumer `u`: the sum over the conversations with unread messages, however many others it has.
private let unreadOfConsumer = """
    (SELECT CAST(coalesce(sum(c.unread), 0) AS BIGINT) FROM unread_conversations c WHERE c.consumer = u.key)
    """

extension ConsumerStore where Self: SQLStore {
    package func consumer(brand: BrandID, id: ConsumerID) async throws(StorageError) -> StoredConsumer? {
        try await inSnapshot { try consumer(brand: brand, id: id, $0) }
    }

    private func consumer(brand: BrandID, id: ConsumerID, _ db: some SQLReader) throws -> StoredConsumer? {
        try db.prepare(
            composed: """
                SELECT u.key, u.anonymous, u.name, u.email, u.phone, \(unreadOfConsumer), u.created_at, u.id, \
                u.quiet_hours FROM \(namedConsumer) WHERE b.id = ? AND n.id = ?
                """
        ).text(brand.rawValue).text(id.rawValue).first { try StoredConsumer($0) }
    }

    package func consumerRecord(brand: BrandID, id: ConsumerID) async throws(StorageError) -> ConsumerRecord? {
        try await inSnapshot { db in
            guard let consumer = try consumer(brand: brand, id: id, db) else { return nil }
            let merged = try db.prepare("SELECT id FROM consumers WHERE merged_into = ? ORDER BY key")
                .int(consumer.key.rawValue).all { ConsumerID(trusted: try $0.value(0)) }
            let sessions = try db.prepare(
                """
                SELECT token_hash, device, credential, expires_at, created_at FROM sessions WHERE consumer = ? \
                ORDER BY created_at, token_hash
                """
            ).int(consumer.key.rawValue).all { row in
                let device: String? = try row.value(1)
                return StoredSession(
                    tokenHash: try row.value(0),
                    brand: brand,
                    consumer: consumer.id,
                    device: device.map(DeviceID.init(trusted:)),
                    credential: try row.value(2),
                    expiresAt: try row.value(3),
                    createdAt: try row.value(4)
                )
            }
            return ConsumerRecord(consumer: consumer, merged: merged, sessions: sessions)
        }
    }

    package func conversations(
        brand: BrandID,
        consumer: ConsumerID,
        after: ConversationKey?,
        limit: Int
    ) async throws(StorageError) -> [StoredConversation]? {
        try await inSnapshot { db in
            guard let owner = try db.owner(brand, consumer) else { return nil }
            return try db.prepare(
                """
                SELECT id, unread, last_sequence, read_sequence, key, resolved FROM current_conversations \
                WHERE consumer = ? AND key > ? ORDER BY key LIMIT ?
                """
            ).int(owner.key).int(after?.rawValue ?? 0).int(limit).all { row in
                StoredConversation(
                    key: ConversationKey(try row.value(4)),
                    unread: try ConversationUnread(row),
                    isResolved: try row.value(5)
                )
            }
        }
    }

    package func activeConversation(
        brand: BrandID,
        consumer: ConsumerID
    ) async throws(StorageError) -> ConversationID? {
        try await inSnapshot { db in
            try db.prepare(
                composed: """
                    SELECT c.id FROM \(namedConsumer) \
                    JOIN current_conversations c ON c.consumer = u.key AND c.resolved = 0 \
                    WHERE b.id = ? AND n.id = ? ORDER BY c.active_message DESC LIMIT 1
                    """
            ).text(brand.rawValue).text(consumer.rawValue).first { ConversationID(trusted: try $0.value(0)) }
        }
    }

    package func unread(brand: BrandID, consumer: ConsumerID) async throws(StorageError) -> UnreadCounts {
        try await inSnapshot { db in
            let found = try db.prepare(
                composed: "SELECT u.key, \(unreadOfConsumer) FROM \(namedConsumer) WHERE b.id = ? AND n.id = ?"
            ).text(brand.rawValue).text(consumer.rawValue).first { row in
                let key: Int64 = try row.value(0)
                let total: Int64 = try row.value(1)
                return (key: key, total: total)
            }
            guard let found else { return UnreadCounts(total: 0, conversations: []) }
            // One more row shows whether there are others.
            let conversations = try db.prepare(
                """
                SELECT id, unread, last_sequence, read_sequence FROM current_conversations \
                WHERE consumer = ? AND last_sequence > 0 ORDER BY has_unread DESC, last_message DESC LIMIT ?
                """
            ).int(found.key).int(UnreadCounts.maxConversations + 1).all { try ConversationUnread($0) }
            return UnreadCounts(
                total: found.total,
                conversations: Array(conversations.prefix(UnreadCounts.maxConversations)),
                hasMore: conversations.count > UnreadCounts.maxConversations
            )
        }
    }

    // MARK: Registrations

    package func registration(
        brand: BrandID,
        app: AppID,
        device: DeviceID
    ) async throws(StorageError) -> DeviceRegistration? {
        try await inSnapshot { db in
            try db.prepare(composed: registrationSQL + " WHERE b.id = ? AND r.app = ? AND r.device = ?")
                .text(brand.rawValue).text(app.rawValue).text(device.rawValue).first { try readRegistration($0) } ?? nil
        }
    }

    package func registrations(
        brand: BrandID,
        tokens: [String],
        pushType: PushType
    ) async throws(StorageError) -> [DeviceRegistration] {
        try await inSnapshot { db in
            let sql =
                registrationSQL + """
                     WHERE r.brand = (SELECT key FROM brands WHERE id = ?) AND r.token = ? AND r.push_type = ?
                    """
            return try tokens.flatMap { token in
                try db.prepare(composed: sql).text(brand.rawValue).text(token).text(pushType.rawValue)
                    .all { try readRegistration($0) }
            }
        }
    }

    package func registrations(
        brand: BrandID,
        consumer: ConsumerID
    ) async throws(StorageError) -> [DeviceRegistration] {
        try await inSnapshot { db in
            try db.prepare(
                composed: registrationSQL + """
                     WHERE r.consumer = (SELECT coalesce(n.merged_into, n.key) FROM consumers n \
                    WHERE n.brand = (SELECT key FROM brands WHERE id = ?) AND n.id = ?) ORDER BY r.id
                    """
            ).text(brand.rawValue).text(consumer.rawValue).all { try readRegistration($0) }
        }
    }
}

private let registrationSQL = """
    SELECT r.id, b.id, r.app, r.device, u.id, r.lane, r.token, r.push_type, r.environment, r.platform, r.locale, \
    r.time_zone, r.os_version, r.app_version, r.receives, r.state, r.registered_at, r.created_at, r.last_seen_at, \
    r.extra_tokens FROM registrations r JOIN brands b ON b.key = r.brand JOIN consumers u ON u.key = r.consumer \
    JOIN lanes l ON l.id = r.lane AND r.state <> 'invalid'
    """

private func readRegistration(_ row: some SQLStatement) throws -> DeviceRegistration? {
    guard let pushType = PushType(rawValue: try row.value(7)),
        let environment = PushEnvironment(rawValue: try row.value(8)),
        let platform = DevicePlatform(rawValue: try row.value(9)),
        let state = RegistrationState(rawValue: try row.value(15))
    else { return nil }
    var registration = DeviceRegistration(
        id: RegistrationID(try row.value(0)),
        brand: BrandID(trusted: try row.value(1)),
        app: AppID(trusted: try row.value(2)),
        device: DeviceID(trusted: try row.value(3)),
        consumer: ConsumerID(trusted: try row.value(4)),
        lane: LaneID(try row.value(5)),
        token: try row.value(6),
        pushType: pushType,
        environment: environment,
        platform: platform,
        locale: try row.value(10),
        timeZone: try row.value(11),
        osVersion: try row.value(12),
        appVersion: try row.value(13),
        receives: Receives(rawValue: try row.value(14)),
        state: state,
        registeredAt: try row.value(16),
        createdAt: try row.value(17)
    )
    registration.lastSeenAt = try row.value(18)
    registration.extraTokens = ExtraTokenText.tokens(try row.value(19))
    return registration
}

extension SQLReader {
    /// Returns the consumer that a name means: its own, or the one that it was merged into.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The name.
    /// - Returns: The consumer's key and its present id; nil when the brand has never seen it.
    /// - Throws: An error of the engine.
    package func owner(_ brand: BrandID, _ consumer: ConsumerID) throws -> (key: Int64, id: ConsumerID)? {
        try prepare(composed: "SELECT u.key, u.id FROM \(namedConsumer) WHERE b.id = ? AND n.id = ?")
            .text(brand.rawValue).text(consumer.rawValue).first { row in
                let key: Int64 = try row.value(0)
                return (key: key, id: ConsumerID(trusted: try row.value(1)))
            }
    }
}

extension ConversationUnread {
    /// Reads the columns from the id to the read mark.
    fileprivate init(_ row: some SQLStatement) throws {
        self.init(
            id: ConversationID(trusted: try row.value(0)),
            unread: try row.value(1),
            lastSequence: try row.value(2),
            readSequence: try row.value(3)
        )
    }
}
